#include "generate_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gtvmin/io/csv_writer.h"
#include "gtvmin/version.h"
#include "wording.h"

namespace gtvmin::app {
namespace {

using Json = nlohmann::ordered_json;

std::string data_csv(const Dataset& dataset) {
  CsvWriter out;
  out.text("node");
  const bool labelled = dataset.labels.size() > 0;
  if (labelled) out.text("y");
  for (const std::string& name : dataset.feature_names) out.text(name);
  out.end_row();
  for (NodeId i = 0; i < dataset.nodes(); ++i) {
    for (Index r = dataset.first_sample[i]; r < dataset.first_sample[i + 1]; ++r) {
      out.text(dataset.node_names[i]);
      if (labelled) out.number(dataset.labels[r]);
      for (const double x : dataset.features.col(r)) out.number(x);
      out.end_row();
    }
  }
  return out.take();
}

std::string edges_csv(const Dataset& dataset) {
  CsvWriter out({"source", "target", "weight"});
  for (const WeightedEdge& e : dataset.edges) {
    out.text(dataset.node_names[e.a]).text(dataset.node_names[e.b]).number(e.weight).end_row();
  }
  return out.take();
}

std::vector<NodeId> present_nodes(const Dataset& dataset) {
  std::vector<char> present(dataset.nodes(), 0);
  for (NodeId i = 0; i < dataset.nodes(); ++i) present[i] = dataset.samples_of(i) > 0 ? 1 : 0;
  for (const WeightedEdge& e : dataset.edges) present[e.a] = present[e.b] = 1;
  std::vector<NodeId> nodes;
  for (NodeId i = 0; i < dataset.nodes(); ++i) {
    if (present[i] != 0) nodes.push_back(i);
  }
  return nodes;
}

std::string truth_csv(const SyntheticData& data) {
  CsvWriter out;
  out.text("node");
  for (const std::string& name : data.dataset.feature_names) out.text(name);
  out.end_row();
  for (const NodeId i : present_nodes(data.dataset)) {
    out.text(data.dataset.node_names[i]);
    for (const double w : data.truth.col(i)) out.number(w);
    out.end_row();
  }
  return out.take();
}

std::string clusters_csv(const SyntheticData& data) {
  CsvWriter out({"node", "cluster"});
  for (const NodeId i : present_nodes(data.dataset)) {
    out.text(data.dataset.node_names[i]).integer(data.clusters.group_of[i]).end_row();
  }
  return out.take();
}

NodeId nodes_with_samples(const Dataset& dataset) {
  NodeId nodes = 0;
  for (NodeId i = 0; i < dataset.nodes(); ++i) nodes += dataset.samples_of(i) > 0 ? 1 : 0;
  return nodes;
}

std::vector<std::string> names_of(const std::vector<NodeId>& nodes, const Dataset& dataset) {
  std::vector<std::string> names;
  names.reserve(nodes.size());
  for (const NodeId i : nodes) names.push_back(dataset.node_names[i]);
  return names;
}

std::string generate_json(const std::string& kind, const SyntheticData& data, const OptionSet& options) {
  const Dataset& dataset = data.dataset;
  Json settings = Json::parse(to_json(options));
  // Where the files lie is no part of what they hold: the same settings give the same files.
  settings.erase("out");
  settings.erase("force");
  const Json json = {{"graph", kind},
                     {"nodes", dataset.nodes()},
                     {"edges", dataset.edges.size()},
                     {"clusters", data.clusters.groups},
                     {"dimension", dataset.features.rows()},
                     {"samples", dataset.samples()},
                     {"nodes_with_samples", nodes_with_samples(dataset)},
                     {"absent_nodes", names_of(absent_nodes(dataset), dataset)},
                     {"version", version_string()},
                     {"options", settings}};
  return json.dump(2) + "\n";
}

}  // namespace

std::vector<NodeId> absent_nodes(const Dataset& dataset) {
  const std::vector<NodeId> present = present_nodes(dataset);
  std::vector<NodeId> absent;
  for (NodeId i = 0; i < dataset.nodes(); ++i) {
    if (!std::binary_search(present.begin(), present.end(), i)) absent.push_back(i);
  }
  return absent;
}

std::vector<std::pair<std::string, std::string>> generate_files(const std::string& kind, const SyntheticData& data,
                                                                const OptionSet& options) {
  return {{"data.csv", data_csv(data.dataset)},
          {"edges.csv", edges_csv(data.dataset)},
          {"truth.csv", truth_csv(data)},
          {"clusters.csv", clusters_csv(data)},
          {std::string(kGenerateMarker), generate_json(kind, data, options)}};
}

std::string generate_report(const SyntheticData& data, const std::string& directory) {
  const Dataset& dataset = data.dataset;
  std::string text = fmt::format("{} in {}, {}, {} at {}, {}\n", count(dataset.nodes(), "node"),
                                 count(data.clusters.groups, "cluster"), count(dataset.edges.size(), "edge"),
                                 count(dataset.samples(), "sample"), count(nodes_with_samples(dataset), "node"),
                                 count(dataset.features.rows(), "feature"));
  text += fmt::format("  files  data.csv, edges.csv, truth.csv, clusters.csv, generate.json in {}\n", directory);
  const std::vector<NodeId> absent = absent_nodes(dataset);
  if (!absent.empty()) {
    constexpr std::size_t kListed = 10;
    auto names = names_of(absent, dataset);
    names.resize(std::min(names.size(), kListed));
    text += fmt::format("warning: {} nodes have neither samples nor edges and appear in no file: {}{}\n", absent.size(),
                        fmt::join(names, ", "), absent.size() > kListed ? ", …" : "");
  }
  return text;
}

}  // namespace gtvmin::app
