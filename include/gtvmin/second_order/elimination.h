#pragma once

#include <span>
#include <vector>

#include "gtvmin/graph/empirical_graph.h"

namespace gtvmin {

/// In which order to eliminate the nodes of a graph when a matrix with a row per node and an entry per edge is
/// factorised, and how many entries the Cholesky factor then has.
struct Elimination {
  /// When each node's turn is; empty if they are eliminated as they are numbered.
  std::vector<NodeId> turn;
  /// +∞ where no order was looked for: the graph is so large and dense that none is of use.
  double entries = 0;
};

/// An order that keeps the factor sparse; in a forest leaves first, which adds nothing. Edges that are not kept are not
/// there; an empty `keep` keeps all.
[[nodiscard]] Elimination plan_elimination(const EmpiricalGraph& graph, std::span<const char> keep = {});

}  // namespace gtvmin
