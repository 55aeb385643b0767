#include <algorithm>
#include <cmath>
#include <numeric>

#include "gtvmin/io/result_files.h"
#include "summary_fields.h"

namespace gtvmin {
namespace {

constexpr std::size_t kLargestContributors = 5;

// Indices of the largest entries, largest first; entries that are 0 do not count.
std::vector<Index> largest(const Vector& terms) {
  std::vector<Index> order(static_cast<std::size_t>(terms.size()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(kLargestContributors, order.size()));
  std::partial_sort(order.begin(), end, order.end(),
                    [&](Index a, Index b) { return terms(a) != terms(b) ? terms(a) > terms(b) : a < b; });
  order.erase(end, order.end());
  std::erase_if(order, [&](Index i) { return !(terms(i) > 0); });
  return order;
}

/// With the nodes and edges that add most to it.
SummaryJson certificate_in_detail(const RunRecord& run) {
  const Certificate& certificate = run.result.certificate;
  const EmpiricalGraph& graph = run.trained.problem.graph();
  const auto name = [&](NodeId i) { return run.trained.dataset.node_names[static_cast<std::size_t>(i)]; };
  SummaryJson json = certificate_json(certificate);
  json["largest_nodes"] = SummaryJson::array();
  for (const Index i : largest(certificate.node_terms)) {
    json["largest_nodes"].push_back({{"node", name(static_cast<NodeId>(i))}, {"value", certificate.node_terms(i)}});
  }
  json["largest_edges"] = SummaryJson::array();
  for (const Index e : largest(certificate.edge_terms)) {
    const auto edge = static_cast<EdgeId>(e);
    json["largest_edges"].push_back(
        {{"source", name(graph.head(edge))}, {"target", name(graph.tail(edge))}, {"value", certificate.edge_terms(e)}});
  }
  return json;
}

}  // namespace

std::string summary_json(const RunRecord& run) {
  const SolveResult& result = run.result;
  SummaryJson json;
  json["status"] = to_string(result.status);
  json["objective"] = result.objective;
  json["loss"] = result.loss;
  json["gtv"] = result.gtv;
  json["certificate"] = certificate_in_detail(run);
  json["iterations"] = result.iterations;
  json["newton_steps"] = result.newton_steps;
  json["dual_value"] = result.certificate.dual_value;
  json["kkt"] = {{"stationarity", result.kkt.stationarity},
                 {"dual_feasibility", result.kkt.dual_feasibility},
                 {"complementarity", result.kkt.complementarity}};
  json["paper_gap"] = result.kkt.paper_gap;
  json["clusters_exact"] = result.clusters_exact;
  json["fewest_clusters"] = result.fewest_clusters;
  json["most_clusters"] = result.most_clusters;
  json["seconds"] = result.seconds;
  for (const auto& [name, count] : run.network) json["network"][name] = count;
  add_trained_models(run.trained, warning_texts(run), json);
  return to_text(json);
}

}  // namespace gtvmin
