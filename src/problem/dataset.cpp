#include "gtvmin/problem/dataset.h"

#include <numeric>

namespace gtvmin {

std::vector<Index> columns_of(const Dataset& dataset, NodeId i) {
  std::vector<Index> columns(static_cast<std::size_t>(dataset.samples_of(i)));
  std::iota(columns.begin(), columns.end(), dataset.first_sample[i]);
  return columns;
}

Dataset select_samples(const Dataset& whole, std::span<const NodeId> nodes,
                       std::span<const std::vector<Index>> columns) {
  Dataset part;
  part.feature_names = whole.feature_names;
  part.class_names = whole.class_names;
  part.node_names.reserve(nodes.size());
  part.first_sample.reserve(nodes.size() + 1);
  part.first_sample.push_back(0);
  std::vector<Index> chosen;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    part.node_names.push_back(whole.node_names[nodes[k]]);
    chosen.insert(chosen.end(), columns[k].begin(), columns[k].end());
    part.first_sample.push_back(static_cast<Index>(chosen.size()));
  }
  part.features = whole.features(Eigen::all, chosen);
  if (whole.labels.size() > 0) part.labels = whole.labels(chosen);
  return part;
}

Dataset select_nodes(const Dataset& whole, std::span<const NodeId> nodes) {
  std::vector<std::vector<Index>> columns;
  columns.reserve(nodes.size());
  for (const NodeId i : nodes) columns.push_back(columns_of(whole, i));
  return select_samples(whole, nodes, columns);
}

Dataset keep_samples(const Dataset& whole, std::span<const char> has_samples) {
  std::vector<NodeId> everybody(has_samples.size());
  std::iota(everybody.begin(), everybody.end(), 0);
  std::vector<std::vector<Index>> columns(has_samples.size());
  for (const NodeId i : everybody) {
    if (has_samples[i] != 0) columns[i] = columns_of(whole, i);
  }
  Dataset part = select_samples(whole, everybody, columns);
  part.edges = whole.edges;
  return part;
}

}  // namespace gtvmin
