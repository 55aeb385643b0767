#include "theory_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "gtvmin/io/csv_writer.h"

namespace gtvmin::app {
namespace {

using TheoryJson = nlohmann::ordered_json;

/// A number; null where it is infinite, which JSON cannot say.
TheoryJson finite_or_null(double value) { return std::isfinite(value) ? TheoryJson(value) : TheoryJson(); }

/// Null if empty; "below" is null where there is no upper limit.
TheoryJson interval_json(const LambdaInterval& interval) {
  if (interval.empty()) return {};
  return {{"above", interval.low}, {"below", finite_or_null(interval.high)}};
}

TheoryJson names_json(const TheoryRecord& record, const std::vector<NodeId>& nodes) {
  TheoryJson names = TheoryJson::array();
  for (const NodeId i : nodes) names.push_back(record.node_name(i));
  return names;
}

double alpha_of(const ClusterConstants& c) { return c.steps.empty() ? 0 : c.steps.front().alpha; }

TheoryJson cluster_json(const TheoryRecord& record, std::size_t index) {
  const ClusterAnalysis& cluster = record.analysis.clusters[index];
  const ClusterConstants& c = cluster.constants;
  TheoryJson entry = {{"cluster", record.cluster_name(static_cast<NodeId>(index))},
                      {"nodes", c.nodes.size()},
                      {"connected", cluster.connected},
                      {"boundary", c.boundary},
                      {"alpha", alpha_of(c)},
                      {"proved", interval_json(cluster.proved)},
                      {"proved_by", to_string(cluster.proved_by)}};
  if (c.nodes.size() > 1) {
    entry["definition1"] = {{"margin", finite_or_null(cluster.definition1_margin)},
                            {"sink", record.node_name(cluster.definition1.sink)},
                            {"tight_set", names_json(record, cluster.definition1.tight)},
                            {"lambda", interval_json(cluster.definition1_interval)}};
    entry["currents"] = {{"attempted", cluster.currents_edge >= 0},
                         {"lambda", interval_json(cluster.currents_interval)}};
  }
  if (record.lambda() > 0) entry["deviation_bound"] = finite_or_null(c.deviation_bound(record.lambda()));
  if (const auto deviation = measured_deviation(record, cluster)) entry["deviation"] = *deviation;
  return entry;
}

TheoryJson pair_json(const TheoryRecord& record, const ClusterPair& pair) {
  return {{"a", record.cluster_name(pair.a)},
          {"b", record.cluster_name(pair.b)},
          {"weight", pair.weight},
          {"distance", pair.distance},
          {"separate_below", pair.separate_below}};
}

void cell(CsvWriter& out, double value) { std::isfinite(value) ? out.number(value) : out.text(""); }

/// Two cells, both empty for an empty interval.
void interval_cells(CsvWriter& out, const LambdaInterval& interval) {
  if (interval.empty()) {
    out.text("").text("");
    return;
  }
  out.number(interval.low);
  cell(out, interval.high);
}

std::string theory_clusters_csv(const TheoryRecord& record) {
  CsvWriter out({"cluster", "nodes", "connected", "boundary", "alpha", "proved_by", "lambda_above", "lambda_below",
                 "definition1_margin", "definition1_above", "definition1_below", "currents_above", "currents_below",
                 "deviation_bound", "deviation"});
  for (std::size_t k = 0; k < record.analysis.clusters.size(); ++k) {
    const ClusterAnalysis& cluster = record.analysis.clusters[k];
    const ClusterConstants& c = cluster.constants;
    out.text(record.cluster_name(static_cast<NodeId>(k))).integer(static_cast<std::int64_t>(c.nodes.size()));
    out.integer(cluster.connected ? 1 : 0).number(c.boundary).number(alpha_of(c)).text(to_string(cluster.proved_by));
    interval_cells(out, cluster.proved);
    cell(out, cluster.definition1_margin);
    interval_cells(out, cluster.definition1_interval);
    interval_cells(out, cluster.currents_interval);
    cell(out, record.lambda() > 0 ? c.deviation_bound(record.lambda()) : INFINITY);
    cell(out, measured_deviation(record, cluster).value_or(INFINITY));
    out.end_row();
  }
  return out.take();
}

std::string theory_nodes_csv(const TheoryRecord& record) {
  CsvWriter out({"node", "cluster", "delta", "beta", "kappa", "boundary", "tight"});
  for (std::size_t k = 0; k < record.analysis.clusters.size(); ++k) {
    const ClusterAnalysis& cluster = record.analysis.clusters[k];
    const ClusterConstants& c = cluster.constants;
    std::vector<NodeId> tight = cluster.definition1.tight;  // ascending
    for (std::size_t i = 0; i < c.nodes.size(); ++i) {
      const auto at = static_cast<Index>(i);
      out.text(record.node_name(c.nodes[i])).text(record.cluster_name(static_cast<NodeId>(k))).number(c.delta[at]);
      cell(out, c.steps.empty() ? INFINITY : c.steps.front().beta[at]);
      cell(out, c.steps.empty() ? INFINITY : c.steps.front().kappa[at]);
      out.number(c.boundary_of[at]).integer(std::binary_search(tight.begin(), tight.end(), c.nodes[i]) ? 1 : 0);
      out.end_row();
    }
  }
  return out.take();
}

std::string theory_pairs_csv(const TheoryRecord& record) {
  CsvWriter out({"a", "b", "weight", "distance", "separate_below"});
  for (const ClusterPair& pair : record.analysis.pairs) {
    out.text(record.cluster_name(pair.a)).text(record.cluster_name(pair.b)).number(pair.weight);
    out.number(pair.distance).number(pair.separate_below).end_row();
  }
  return out.take();
}

std::string critical_csv(const TheoryRecord& record) {
  CsvWriter out({"component", "first_node", "nodes", "low", "high", "exact"});
  for (std::size_t k = 0; k < record.critical->size(); ++k) {
    const CriticalLambda& component = (*record.critical)[k];
    out.integer(static_cast<std::int64_t>(k)).text(record.node_name(component.nodes.front()));
    out.integer(static_cast<std::int64_t>(component.nodes.size())).number(component.low).number(component.high);
    out.integer(component.exact ? 1 : 0).end_row();
  }
  return out.take();
}

}  // namespace

std::string theory_json(const TheoryRecord& record) {
  const Problem& problem = record.input.problem.problem;
  TheoryJson object = {{"nodes", problem.nodes()},
                       {"edges", problem.edges()},
                       {"model", record.settings.input.model.name},
                       {"penalty", penalty_name(problem.penalty())},
                       {"lambda", record.lambda() > 0 ? TheoryJson(record.lambda()) : TheoryJson()},
                       {"clusters_from", record.input.clusters_from},
                       {"recovery", interval_json(record.analysis.recovery)}};
  object["clusters"] = TheoryJson::array();
  for (std::size_t k = 0; k < record.analysis.clusters.size(); ++k)
    object["clusters"].push_back(cluster_json(record, k));
  object["pairs"] = TheoryJson::array();
  for (const ClusterPair& pair : record.analysis.pairs) object["pairs"].push_back(pair_json(record, pair));
  if (record.critical != nullptr) {
    object["critical"] = TheoryJson::array();
    for (const CriticalLambda& component : *record.critical) {
      object["critical"].push_back({{"first_node", record.node_name(component.nodes.front())},
                                    {"nodes", component.nodes.size()},
                                    {"low", component.low},
                                    {"high", component.high},
                                    {"exact", component.exact}});
    }
  }
  object["warnings"] = record.input.problem.warnings;
  object["seconds"] = record.seconds;
  return object.dump(2, ' ', false, TheoryJson::error_handler_t::replace) + "\n";
}

NamedFiles theory_files(const TheoryRecord& record) {
  NamedFiles files = {{std::string(kTheoryMarker), theory_json(record)},
                      {"theory_clusters.csv", theory_clusters_csv(record)},
                      {"theory_nodes.csv", theory_nodes_csv(record)},
                      {"theory_pairs.csv", theory_pairs_csv(record)}};
  if (record.critical != nullptr) files.emplace_back("critical.csv", critical_csv(record));
  return files;
}

}  // namespace gtvmin::app
