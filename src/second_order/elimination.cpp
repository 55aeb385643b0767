#include "gtvmin/second_order/elimination.h"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <limits>

namespace gtvmin {
namespace {

using Sparse = Eigen::SparseMatrix<double>;

/// Eigen's symbolic analysis knows the size of the factor but does not tell.
struct SymbolicCholesky : Eigen::SimplicialLLT<Sparse> {
  explicit SymbolicCholesky(const Sparse& pattern) { analyzePattern(pattern); }
  [[nodiscard]] double entries() const { return m_matrix.outerIndexPtr()[m_matrix.cols()]; }
};

/// Against a breadth-first search: when it is a node's turn, only the node from which it was met is left.
std::vector<NodeId> leaves_first(const EmpiricalGraph& forest) {
  const std::vector<NodeId> order = breadth_first(forest).order;
  std::vector<NodeId> turn(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) turn[order[order.size() - 1 - k]] = static_cast<NodeId>(k);
  return turn;
}

}  // namespace

Elimination plan_elimination(const EmpiricalGraph& graph, std::span<const char> keep) {
  const auto nodes = static_cast<double>(graph.nodes());
  const Index edges =
      keep.empty() ? graph.edges() : std::count_if(keep.begin(), keep.end(), [](char k) { return k != 0; });
  if (is_forest(graph)) return {leaves_first(graph), nodes + static_cast<double>(edges)};
  // Ordering a dense graph takes long only to tell that it fills in.
  if (static_cast<double>(edges) >= nodes * nodes / 16) return {{}, nodes * (nodes + 1) / 2};
  if (graph.nodes() > 5000 && edges / 4 > graph.nodes()) return {{}, std::numeric_limits<double>::infinity()};
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(static_cast<std::size_t>(graph.nodes() + edges));
  for (NodeId i = 0; i < graph.nodes(); ++i) entries.emplace_back(i, i, 1.0);
  for (EdgeId e = 0; e < graph.edges(); ++e) {
    if (keep.empty() || keep[e] != 0) entries.emplace_back(graph.tail(e), graph.head(e), 1.0);
  }
  Sparse pattern(graph.nodes(), graph.nodes());
  pattern.setFromTriplets(entries.begin(), entries.end());
  const SymbolicCholesky symbolic(pattern);
  const auto& turn = symbolic.permutationP().indices();
  return {{turn.begin(), turn.end()}, symbolic.entries()};
}

}  // namespace gtvmin
