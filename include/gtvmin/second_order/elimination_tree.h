#pragma once

#include <vector>

#include "gtvmin/second_order/minimum_degree.h"

namespace gtvmin {

/// Elimination tree of a graph in a given order, relabelled in postorder: a node's descendants directly precede it.
struct EliminationTree {
  std::vector<NodeId> order;   ///< nodes of the graph in postorder
  std::vector<NodeId> parent;  ///< −1: root
  std::vector<NodeId> count;   ///< entries of the column of the factor, with the diagonal

  EliminationTree(const Adjacency& graph, const std::vector<NodeId>& order_of_elimination);
};

/// Nodes of a forest in postorder, children in ascending order; −1 is the parent of roots.
[[nodiscard]] std::vector<NodeId> postorder(const std::vector<NodeId>& parent);

}  // namespace gtvmin
