#include "gtvmin/similarity/graph_summary.h"

#include <fmt/format.h>

#include <algorithm>

namespace gtvmin {
namespace {

// Beyond this ratio of weights the light edges are decided last, and slowly.
constexpr double kWideWeights = 1e6;
// A hub has that many edges, and that many times as many as is usual.
constexpr double kHubDegree = 50;
constexpr double kHubFactor = 10;

ClusterAgreement agreement_with(const EmpiricalGraph& graph, const Partition& clusters) {
  ClusterAgreement agreement;
  double weight_within = 0;
  double weight = 0;
  for (EdgeId e = 0; e < graph.edges(); ++e) {
    weight += graph.weight(e);
    if (clusters.group_of[graph.head(e)] != clusters.group_of[graph.tail(e)]) continue;
    ++agreement.edges_within;
    weight_within += graph.weight(e);
  }
  if (graph.edges() > 0) {
    agreement.share = static_cast<double>(agreement.edges_within) / graph.edges();
    agreement.weight_share = weight_within / weight;
  }
  std::vector<double> sizes(clusters.groups, 0);
  for (const NodeId group : clusters.group_of) ++sizes[group];
  double pairs_within = 0;
  for (const double size : sizes) pairs_within += size * (size - 1) / 2;
  const double n = graph.nodes();
  if (n > 1) agreement.share_by_chance = pairs_within / (n * (n - 1) / 2);
  return agreement;
}

}  // namespace

Spread spread_of(std::vector<double> numbers) {
  if (numbers.empty()) return {};
  const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
  Spread spread{*low, 0, *high};
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  spread.median = *middle;
  return spread;
}

GraphSummary summarise_graph(const EmpiricalGraph& graph, const Partition* clusters) {
  GraphSummary summary;
  summary.nodes = graph.nodes();
  summary.edges = graph.edges();
  summary.components = connected_groups(graph).groups;
  std::vector<double> degrees;
  std::vector<double> weights;
  degrees.reserve(graph.nodes());
  weights.reserve(graph.edges());
  for (NodeId i = 0; i < graph.nodes(); ++i) {
    degrees.push_back(static_cast<double>(graph.degree(i)));
    if (graph.degree(i) == 0) summary.isolated.push_back(i);
    if (graph.degree(i) > graph.degree(summary.hub)) summary.hub = i;
  }
  for (EdgeId e = 0; e < graph.edges(); ++e) weights.push_back(graph.weight(e));
  summary.degree = spread_of(std::move(degrees));
  summary.weight = spread_of(std::move(weights));
  if (clusters != nullptr) summary.clusters = agreement_with(graph, *clusters);
  return summary;
}

std::string list_nodes(const std::vector<NodeId>& nodes, const std::vector<std::string>& node_names) {
  constexpr std::size_t kNamed = 3;
  std::string text;
  for (std::size_t k = 0; k < std::min(kNamed, nodes.size()); ++k) {
    text += fmt::format("{}'{}'", k > 0 ? ", " : "", node_names[nodes[k]]);
  }
  if (nodes.size() > kNamed) text += fmt::format(" and {} more", nodes.size() - kNamed);
  return text;
}

std::vector<std::string> graph_warnings(const GraphSummary& summary, const std::vector<std::string>& node_names) {
  std::vector<std::string> warnings;
  if (!summary.isolated.empty()) {
    warnings.push_back(
        fmt::format("{} without edges: {}; such a node is trained alone (--connect connects it)",
                    summary.isolated.size() == 1 ? "a node is" : fmt::format("{} nodes are", summary.isolated.size()),
                    list_nodes(summary.isolated, node_names)));
  }
  const auto alone = static_cast<NodeId>(summary.isolated.size());
  if (summary.components > 1 && summary.components > alone) {
    warnings.push_back(fmt::format(
        "the graph has {} components, which exchange no information (--connect connects them)", summary.components));
  }
  if (summary.edges > 0 && summary.weight.high > kWideWeights * summary.weight.low) {
    warnings.push_back(
        fmt::format("weights range from {:.2g} to {:.2g}: the smallest have little effect and slow the solver down; a "
                    "larger --scale, --weights rescaled or fewer neighbours narrow the range",
                    summary.weight.low, summary.weight.high));
  }
  if (summary.degree.high >= std::max(kHubDegree, kHubFactor * summary.degree.median)) {
    warnings.push_back(fmt::format(
        "node '{}' is a hub with {} edges, the median is {}: it may connect unrelated nodes (--mutual avoids hubs)",
        node_names[summary.hub], summary.degree.high, summary.degree.median));
  }
  return warnings;
}

}  // namespace gtvmin
