#pragma once

#include <span>
#include <string>
#include <vector>

#include "gtvmin/base/types.h"
#include "gtvmin/graph/empirical_graph.h"

namespace gtvmin {

/// What a data file and an edge file say, before any mathematics: named nodes with their samples, and edges.
struct Dataset {
  /// In the order of first appearance, data file first; a node that only edges name has no samples.
  std::vector<std::string> node_names;
  std::vector<std::string> feature_names;
  /// The samples of node i are the columns first_sample[i] … first_sample[i + 1] − 1; size nodes + 1.
  std::vector<Index> first_sample;
  /// features × samples; the samples of a node are contiguous and keep the order of the file.
  Matrix features;
  /// One label per sample; empty where the model has none. Of classes, the position in class_names.
  Vector labels;
  /// The classes that labels name, in order; empty where labels are numbers.
  std::vector<std::string> class_names;
  /// The row of the file, from 0, in which a sample stands; empty if samples have the order of the file.
  std::vector<Index> row_of_sample;
  std::vector<WeightedEdge> edges;

  [[nodiscard]] NodeId nodes() const { return static_cast<NodeId>(node_names.size()); }
  [[nodiscard]] Index samples() const { return first_sample.empty() ? 0 : first_sample.back(); }
  [[nodiscard]] Index samples_of(NodeId i) const { return first_sample[i + 1] - first_sample[i]; }

  /// Gives back the memory of samples and edges once a problem has been made of them; names and counts stay.
  void release_contents() {
    features = Matrix();
    labels = Vector();
    edges = {};
  }
};

/// Where the samples of node i stand: columns of `features`.
[[nodiscard]] std::vector<Index> columns_of(const Dataset& dataset, NodeId i);

/// Some of the samples of some nodes, without edges: node k of the result is nodes[k] of `whole` and has its columns
/// columns[k], in that order.
[[nodiscard]] Dataset select_samples(const Dataset& whole, std::span<const NodeId> nodes,
                                     std::span<const std::vector<Index>> columns);
/// The same with all samples of these nodes.
[[nodiscard]] Dataset select_nodes(const Dataset& whole, std::span<const NodeId> nodes);
/// All nodes and edges, but only the nodes with has_samples[i] != 0 keep their samples.
[[nodiscard]] Dataset keep_samples(const Dataset& whole, std::span<const char> has_samples);

/// Which labels a model accepts. kBinary: {0, 1} or {−1, 1}, one of the two throughout the file, kept as −1 and 1.
/// kCount: 0, 1, 2, … kClass: any names.
enum class LabelDomain { kNone, kReal, kBinary, kCount, kClass };

}  // namespace gtvmin
