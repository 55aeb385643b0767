#pragma once

#include <vector>

#include "gtvmin/graph/empirical_graph.h"

namespace gtvmin {

/// Joins every point (a column) to its k nearest others in Euclidean distance; two points are joined if one of them
/// is among the k nearest of the other. Sorted by (a, b), a < b, every weight 1. With k ≥ points, all are joined.
[[nodiscard]] std::vector<WeightedEdge> nearest_neighbour_edges(ConstMatrixRef points, NodeId k);

}  // namespace gtvmin
