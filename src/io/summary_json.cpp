#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "gtvmin/io/result_files.h"
#include "gtvmin/version.h"

namespace gtvmin {
namespace {

using Json = nlohmann::ordered_json;

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

Json certificate_json(const RunRecord& run) {
  const Certificate& certificate = run.result.certificate;
  const EmpiricalGraph& graph = run.problem.graph();
  const auto name = [&](NodeId i) { return run.dataset.node_names[static_cast<std::size_t>(i)]; };
  Json json = {{"kind", to_string(certificate.kind)}, {"value", certificate.value}, {"relative", certificate.relative}};
  if (certificate.kind == Certificate::Kind::kGapWithinRadius) {
    json["radius"] = certificate.radius;
  }
  json["largest_nodes"] = Json::array();
  for (const Index i : largest(certificate.node_terms)) {
    json["largest_nodes"].push_back({{"node", name(static_cast<NodeId>(i))}, {"value", certificate.node_terms(i)}});
  }
  json["largest_edges"] = Json::array();
  for (const Index e : largest(certificate.edge_terms)) {
    const auto edge = static_cast<EdgeId>(e);
    json["largest_edges"].push_back(
        {{"source", name(graph.head(edge))}, {"target", name(graph.tail(edge))}, {"value", certificate.edge_terms(e)}});
  }
  return json;
}

Json standardization_json(const RunRecord& run) {
  Json means = Json::object();
  Json scales = Json::object();
  for (std::size_t f = 0; f < run.dataset.feature_names.size(); ++f) {
    means[run.dataset.feature_names[f]] = run.standardization->means(static_cast<Index>(f));
    scales[run.dataset.feature_names[f]] = run.standardization->scales(static_cast<Index>(f));
  }
  return {{"means", means}, {"scales", scales}};
}

}  // namespace

std::string summary_json(const RunRecord& run) {
  const SolveResult& result = run.result;
  Json json;
  json["status"] = to_string(result.status);
  json["objective"] = result.objective;
  json["loss"] = result.loss;
  json["gtv"] = result.gtv;
  json["certificate"] = certificate_json(run);
  json["iterations"] = result.iterations;
  json["newton_steps"] = result.newton_steps;
  json["polished"] = result.polished;
  json["seconds"] = result.seconds;
  json["nodes"] = run.problem.nodes();
  json["edges"] = run.problem.edges();
  json["samples"] = run.dataset.samples();
  json["dimension"] = run.problem.dimension();
  json["clusters"] = result.clusters.groups;
  json["lambda"] = run.problem.lambda();
  json["penalty"] = penalty_name(run.problem.penalty());
  json["model"] = run.model_name;
  json["features"] = run.dataset.feature_names;
  if (!run.dataset.class_names.empty()) {
    json["classes"] = run.dataset.class_names;
  }
  json["method"] = run.method;
  json["seed"] = run.seed;
  json["version"] = version_string();
  json["warnings"] = warning_texts(run);
  if (run.standardization) {
    json["standardize"] = standardization_json(run);
  }
  json["options"] = Json::parse(run.options_json);
  // Names of nodes are bytes from a file; those that are no UTF-8 must not stop the report.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gtvmin
