#include "gtvmin/second_order/minimum_degree.h"

#include <numeric>

#include "gtvmin/second_order/quotient_graph.h"

namespace gtvmin {
namespace {

/// Appends leaves, and what becomes a leaf without them, to `order`.
std::vector<char> peel_leaves(const Adjacency& graph, std::vector<NodeId>& order) {
  const NodeId nodes = graph.nodes();
  std::vector<NodeId> degree(nodes);
  std::vector<char> is_gone(nodes, 0);
  for (NodeId i = 0; i < nodes; ++i) {
    degree[i] = static_cast<NodeId>(graph.of(i).size());
    if (degree[i] <= 1) order.push_back(i);
  }
  for (std::size_t k = 0; k < order.size(); ++k) {
    const NodeId i = order[k];
    is_gone[i] = 1;
    for (const NodeId j : graph.of(i)) {
      if (degree[j]-- == 2) order.push_back(j);
    }
  }
  return is_gone;
}

}  // namespace

Adjacency::Adjacency(NodeId nodes, std::span<const NodeId> heads, std::span<const NodeId> tails)
    : begin(static_cast<std::size_t>(nodes) + 1, 0), neighbours(2 * heads.size()) {
  for (const auto ends : {heads, tails}) {
    for (const NodeId i : ends) ++begin[i];
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  for (std::size_t e = heads.size(); e-- > 0;) {
    neighbours[--begin[heads[e]]] = tails[e];
    neighbours[--begin[tails[e]]] = heads[e];
  }
}

double elimination_flops(double columns, double rows) {
  const auto squares = [](double n) { return n * (n + 1) * (2 * n + 1) / 6; };
  return squares(rows + columns) - squares(rows);
}

std::variant<std::vector<NodeId>, EliminationFailure> minimum_degree_order(const Adjacency& graph, Index block,
                                                                           const EliminationLimits& limits,
                                                                           const std::function<bool()>& stop) {
  std::vector<NodeId> order;
  order.reserve(static_cast<std::size_t>(graph.nodes()));
  const std::vector<char> is_gone = peel_leaves(graph, order);
  if (stop()) return EliminationFailure::kStopped;
  if (order.size() < is_gone.size()) {
    QuotientGraph rest(graph, is_gone, block, limits, stop);
    if (const auto failure = rest.eliminate(order)) return *failure;
  }
  return order;
}

}  // namespace gtvmin
