#pragma once

#include <span>
#include <vector>

#include "gtvmin/graph/empirical_graph.h"

namespace gtvmin {

/// A rooted tree in every component of a graph.
struct SpanningForest {
  std::vector<NodeId> order;   // parents before children
  std::vector<NodeId> parent;  // −1 for a root
  std::vector<EdgeId> edge;    // to the parent; −1 for a root
};

/// The forest whose edges have the largest priorities; ties go to the smaller edge. A tree is rooted at an end of its
/// edge with the largest priority.
[[nodiscard]] SpanningForest maximum_spanning_forest(const EmpiricalGraph& graph, std::span<const double> priority);

}  // namespace gtvmin
