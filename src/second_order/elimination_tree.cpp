#include "gtvmin/second_order/elimination_tree.h"

#include <numeric>

namespace gtvmin {
namespace {

std::vector<NodeId> positions_of(const std::vector<NodeId>& order) {
  std::vector<NodeId> position(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) position[order[k]] = static_cast<NodeId>(k);
  return position;
}

/// Root of the tree of k, halving the path to it.
NodeId find_root(std::vector<NodeId>& ancestor, NodeId k) {
  while (ancestor[k] != k) k = ancestor[k] = ancestor[ancestor[k]];
  return k;
}

/// Liu's algorithm with path compression.
std::vector<NodeId> parents_of(const Adjacency& graph, const std::vector<NodeId>& order) {
  const auto nodes = static_cast<NodeId>(order.size());
  const std::vector<NodeId> position = positions_of(order);
  std::vector<NodeId> parent(order.size(), -1);
  std::vector<NodeId> ancestor(order.size());
  std::iota(ancestor.begin(), ancestor.end(), 0);
  for (NodeId k = 0; k < nodes; ++k) {
    for (const NodeId neighbour : graph.of(order[k])) {
      if (position[neighbour] >= k) continue;
      const NodeId root = find_root(ancestor, position[neighbour]);
      if (root != k) parent[root] = ancestor[root] = k;
    }
  }
  return parent;
}

/// Column counts in nearly linear time (Gilbert, Ng, Peyton 1994): row i of the factor is a subtree of the elimination
/// tree; a column gets one entry for every leaf below it, less one for every pair of leaves that meets below it.
std::vector<NodeId> column_counts(const Adjacency& graph, const std::vector<NodeId>& order,
                                  const std::vector<NodeId>& parent) {
  const auto nodes = static_cast<NodeId>(order.size());
  const std::vector<NodeId> position = positions_of(order);
  std::vector<NodeId> first(order.size());  // descendant
  std::iota(first.begin(), first.end(), 0);
  std::vector<NodeId> count(order.size(), 1);
  for (NodeId j = 0; j < nodes; ++j) {
    if (parent[j] < 0) continue;
    first[parent[j]] = std::min(first[parent[j]], first[j]);
    count[parent[j]] = 0;
  }
  std::vector<NodeId> ancestor(order.size());
  std::iota(ancestor.begin(), ancestor.end(), 0);
  std::vector<NodeId> last_first(order.size(), -1);
  std::vector<NodeId> last_leaf(order.size(), -1);
  for (NodeId j = 0; j < nodes; ++j) {
    if (parent[j] >= 0) --count[parent[j]];
    for (const NodeId neighbour : graph.of(order[j])) {
      const NodeId i = position[neighbour];
      if (i <= j || first[j] <= last_first[i]) continue;
      last_first[i] = first[j];
      ++count[j];
      if (last_leaf[i] >= 0) --count[find_root(ancestor, last_leaf[i])];
      last_leaf[i] = j;
    }
    if (parent[j] >= 0) ancestor[j] = parent[j];
  }
  for (NodeId j = 0; j < nodes; ++j) {
    if (parent[j] >= 0) count[parent[j]] += count[j];
  }
  return count;
}

}  // namespace

std::vector<NodeId> postorder(const std::vector<NodeId>& parent) {
  const auto nodes = static_cast<NodeId>(parent.size());
  std::vector<NodeId> child(parent.size(), -1);
  std::vector<NodeId> sibling(parent.size(), -1);
  std::vector<NodeId> stack;
  for (NodeId j = nodes; j-- > 0;) {
    if (parent[j] < 0) {
      stack.push_back(j);
    } else {
      sibling[j] = child[parent[j]];
      child[parent[j]] = j;
    }
  }
  std::vector<NodeId> order;
  order.reserve(parent.size());
  while (!stack.empty()) {
    const NodeId j = stack.back();
    if (child[j] >= 0) {
      stack.push_back(child[j]);
      child[j] = sibling[child[j]];
    } else {
      order.push_back(j);
      stack.pop_back();
    }
  }
  return order;
}

EliminationTree::EliminationTree(const Adjacency& graph, const std::vector<NodeId>& order_of_elimination) {
  const std::vector<NodeId> old_parent = parents_of(graph, order_of_elimination);
  const std::vector<NodeId> post = postorder(old_parent);
  const std::vector<NodeId> label = positions_of(post);
  order.resize(post.size());
  parent.resize(post.size());
  for (std::size_t k = 0; k < post.size(); ++k) {
    order[k] = order_of_elimination[post[k]];
    parent[k] = old_parent[post[k]] < 0 ? -1 : label[old_parent[post[k]]];
  }
  count = column_counts(graph, order, parent);
}

}  // namespace gtvmin
