#include "theory_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "wording.h"

namespace gtvmin::app {
namespace {

/// Clusters, pairs and components that are described one by one; the files of --out have all.
constexpr std::size_t kDescribed = 10;
constexpr std::size_t kNamedNodes = 5;

std::string some_nodes(const TheoryRecord& record, const std::vector<NodeId>& nodes) {
  std::string text;
  for (std::size_t k = 0; k < std::min(nodes.size(), kNamedNodes); ++k) {
    text += fmt::format("{}'{}'", k == 0 ? "" : ", ", record.node_name(nodes[k]));
  }
  if (nodes.size() > kNamedNodes) text += fmt::format(" and {} more", nodes.size() - kNamedNodes);
  return text;
}

/// A positive number with so many significant digits, rounded by `direction` (std::ceil or std::floor), so that what is
/// printed holds too.
template <class Direction>
double shortened(double value, int digits, Direction direction) {
  if (!(value > 0) || std::isinf(value)) return value;
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - digits + 1);
  return direction(value / unit) * unit;
}
std::string from_above(double value, int digits = 4) {
  return fmt::format("{:.{}g}", shortened(value, digits, [](double x) { return std::ceil(x); }), digits);
}
std::string from_below(double value, int digits = 4) {
  return fmt::format("{:.{}g}", shortened(value, digits, [](double x) { return std::floor(x); }), digits);
}

/// "λ > 0.1", "0.1 < λ < 2".
std::string range_text(const LambdaInterval& interval) {
  return std::isinf(interval.high) ? fmt::format("λ > {}", from_above(interval.low))
                                   : fmt::format("{} < λ < {}", from_above(interval.low), from_below(interval.high));
}

std::string test_text(ClusterTest test) {
  switch (test) {
    case ClusterTest::kNone:
    case ClusterTest::kSingleton:
      return {};
    case ClusterTest::kDefinition1:
      return "well-connected, Definition 1";
    case ClusterTest::kCurrents:
      return "routing by currents";
    case ClusterTest::kQuadraticCurrents:
      return "routing by currents, quadratic losses";
  }
  return {};
}

/// Which nodes cannot pass on what Definition 1 asks of them.
std::string definition1_text(const TheoryRecord& record, const ClusterAnalysis& cluster) {
  const SinkRouting& routing = cluster.definition1;
  const std::string where = record.lambda() > 0 ? fmt::format("at λ = {:g}", record.lambda()) : "for large λ";
  if (std::isinf(cluster.definition1_margin))
    return fmt::format("  Definition 1 {}: holds, nothing must be routed\n", where);
  const bool all_others = routing.tight.size() + 1 == cluster.constants.nodes.size();
  const std::string tight = all_others ? fmt::format("all nodes but '{}'", record.node_name(routing.sink))
                                       : some_nodes(record, routing.tight);
  return fmt::format(
      "  Definition 1 {}: {}, margin t* = {:.4g} (must exceed 1); tight set: {}, whose edges to the rest of the "
      "cluster "
      "weigh {:.4g}\n",
      where, cluster.definition1_margin > 1 ? "holds" : "fails", cluster.definition1_margin, tight, routing.tight_cut);
}

std::string obstacle_text(const TheoryRecord& record, const ClusterAnalysis& cluster) {
  const ClusterConstants& c = cluster.constants;
  if (!cluster.connected) return "its nodes are not connected by edges inside the cluster";
  if (!c.minimiser.attained)
    return "its losses have no common minimiser, as with separable classes; a ridge gives them one";
  if (c.steps.empty()) return "its samples do not determine its parameters (α = 0); more samples or a ridge do";
  if (cluster.currents_skipped)
    return "Definition 1 fails, and routing by currents was left out: it would take too long";
  if (!c.quadratic) {
    return "Definition 1 and routing by currents ask for a larger λ than the one up to which the curvature of its "
           "losses is "
           "known";
  }
  const EdgeId e = cluster.currents_edge;
  const EmpiricalGraph& graph = record.input.problem.problem.graph();
  return fmt::format(
      "Definition 1 fails, and currents need more than the weight {:.4g} of edge '{}' – '{}': too much weight over the "
      "boundary for the edges inside",
      graph.weight(e), record.node_name(graph.head(e)), record.node_name(graph.tail(e)));
}

std::string deviation_text(const TheoryRecord& record, const ClusterAnalysis& cluster) {
  std::string text;
  const double lambda = record.lambda();
  if (lambda > 0 && cluster.proved.contains(lambda)) {
    const double bound = cluster.constants.deviation_bound(lambda);
    if (std::isfinite(bound)) {
      text += fmt::format("  proved at λ = {:g}: within {} of the minimiser of its nodes' common loss\n", lambda,
                          from_above(bound));
    }
  }
  if (const auto deviation = measured_deviation(record, cluster)) {
    text +=
        fmt::format("  in this result: within {} of the minimiser of its nodes' common loss\n", from_above(*deviation));
  }
  return text;
}

std::string cluster_text(const TheoryRecord& record, std::size_t index) {
  const ClusterAnalysis& cluster = record.analysis.clusters[index];
  const ClusterConstants& c = cluster.constants;
  std::string text = fmt::format("\ncluster {}: {}, boundary |∂C| = {:.4g}, α = {:.4g}, largest δ = {:.4g}\n",
                                 record.cluster_name(static_cast<NodeId>(index)),
                                 count(static_cast<std::int64_t>(c.nodes.size()), "node"), c.boundary,
                                 c.steps.empty() ? 0 : c.steps.front().alpha, c.delta.maxCoeff());
  if (cluster.proved.empty()) {
    text += fmt::format("  not proved for any λ: {}\n", obstacle_text(record, cluster));
  } else if (cluster.proved_by != ClusterTest::kSingleton) {
    text += fmt::format("  proved: equal parameters at every optimum for {} ({})\n", range_text(cluster.proved),
                        test_text(cluster.proved_by));
  }
  text += deviation_text(record, cluster);
  if (c.nodes.size() > 1 && cluster.connected && !c.steps.empty()) text += definition1_text(record, cluster);
  return text;
}

std::string pairs_text(const TheoryRecord& record) {
  std::vector<ClusterPair> pairs = record.analysis.pairs;
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const ClusterPair& a, const ClusterPair& b) { return a.separate_below < b.separate_below; });
  std::string text;
  for (std::size_t k = 0; k < std::min(pairs.size(), kDescribed); ++k) {
    const ClusterPair& pair = pairs[k];
    const std::string ends = fmt::format("clusters {} and {}: minimisers differ by {:.4g}; ",
                                         record.cluster_name(pair.a), record.cluster_name(pair.b), pair.distance);
    text += pair.separate_below > 0 ? fmt::format("{}proved different, where both are constant, for λ < {}\n", ends,
                                                  from_below(pair.separate_below))
                                    : ends + "not proved different for any λ\n";
  }
  if (pairs.size() > kDescribed) text += fmt::format("{} more pairs in theory_pairs.csv\n", pairs.size() - kDescribed);
  return text.empty() ? text : "\n" + text;
}

std::string recovery_text(const TheoryRecord& record) {
  const LambdaInterval& recovery = record.analysis.recovery;
  if (recovery.empty()) {
    return "\nrecovery: not proved for any λ. That does not mean that these clusters are not found: the conditions are "
           "sufficient, not necessary\n";
  }
  std::string text =
      fmt::format("\nrecovery: proved for {}: every optimum has exactly these clusters\n", range_text(recovery));
  if (record.lambda() > 0) {
    text += fmt::format("λ = {:g} lies {} this interval\n", record.lambda(),
                        recovery.contains(record.lambda()) ? "inside" : "outside");
  }
  return text;
}

std::string critical_text(const TheoryRecord& record) {
  if (record.critical == nullptr) return {};
  std::string text = "\n";
  for (std::size_t k = 0; k < std::min(record.critical->size(), kDescribed); ++k) {
    const CriticalLambda& component = (*record.critical)[k];
    text += fmt::format("component of '{}', {}: ", record.node_name(component.nodes.front()),
                        count(static_cast<std::int64_t>(component.nodes.size()), "node"));
    if (component.high == 0) {
      text += "one cluster for every λ > 0\n";
      continue;
    }
    text += component.exact ? fmt::format("one cluster for λ > {:.6g}, several for smaller λ (exact)\n", component.high)
                            : fmt::format("one cluster for λ > {}, several for λ < {}\n", from_above(component.high, 6),
                                          from_below(component.low, 6));
  }
  if (record.critical->size() > kDescribed) {
    text += fmt::format("{} more components in critical.csv\n", record.critical->size() - kDescribed);
  }
  return text;
}

}  // namespace

std::string theory_text(const TheoryRecord& record) {
  const Problem& problem = record.input.problem.problem;
  const auto& clusters = record.analysis.clusters;
  std::string text =
      fmt::format("{}, {}, model {}, penalty {}{}\n", count(problem.nodes(), "node"), count(problem.edges(), "edge"),
                  record.settings.input.model.name, penalty_name(problem.penalty()),
                  record.lambda() > 0 ? fmt::format(", λ = {:g}", record.lambda()) : "");
  const auto singletons = std::count_if(clusters.begin(), clusters.end(), [](const ClusterAnalysis& cluster) {
    return cluster.constants.nodes.size() == 1;
  });
  const auto larger = static_cast<std::int64_t>(clusters.size()) - singletons;
  const auto proved = std::count_if(clusters.begin(), clusters.end(), [](const ClusterAnalysis& cluster) {
    return cluster.constants.nodes.size() > 1 && !cluster.proved.empty();
  });
  text += fmt::format("{} of at least 2 nodes from {}, {} of them proved for some λ; {} of 1 node\n",
                      count(larger, "cluster"), record.input.clusters_from, proved, count(singletons, "cluster"));
  std::vector<std::size_t> order(clusters.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return clusters[a].constants.nodes.size() > clusters[b].constants.nodes.size();
  });
  for (std::size_t k = 0; k < std::min(order.size(), kDescribed); ++k) text += cluster_text(record, order[k]);
  if (order.size() > kDescribed) {
    text += fmt::format("\n{} more clusters in theory_clusters.csv of --out\n", order.size() - kDescribed);
  }
  return text + pairs_text(record) + recovery_text(record) + critical_text(record) +
         warnings_text(record.input.problem.warnings, "theory.json");
}

}  // namespace gtvmin::app
