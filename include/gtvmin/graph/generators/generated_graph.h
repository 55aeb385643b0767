#pragma once

#include <span>
#include <vector>

#include "gtvmin/graph/empirical_graph.h"

namespace gtvmin {

/// What a graph generator makes: edges sorted by (a, b) with a < b, and the clusters on which a truth is constant.
///
/// Every generator is a function of its parameters and the seed alone, with the same bits on every machine. Its errors
/// are of kind kUsage and start with the parameter's name as the command spells it ("p-in: …").
struct GeneratedGraph {
  std::vector<WeightedEdge> edges;
  Partition clusters;

  [[nodiscard]] NodeId nodes() const { return static_cast<NodeId>(clusters.group_of.size()); }
};

/// The partition into nodes of equal label, in the order of the smallest node.
[[nodiscard]] Partition partition_by_label(std::span<const NodeId> labels);

/// Clusters of the given sizes (each ≥ 1), one after the other.
[[nodiscard]] Result<Partition> consecutive_clusters(std::span<const NodeId> sizes);

}  // namespace gtvmin
