#pragma once

#include <functional>
#include <span>
#include <variant>
#include <vector>

#include "gtvmin/base/types.h"

namespace gtvmin {

/// Size of a Cholesky factorisation beyond which it is not attempted.
struct EliminationLimits {
  double flops;    ///< additions, multiplications, divisions and roots
  double numbers;  ///< scalar entries of the factor
};

enum class EliminationFailure { kTooExpensive, kStopped };

/// Neighbours of every node, those of node i at begin[i] … begin[i + 1] − 1; an edge is stored at both ends.
struct Adjacency {
  std::vector<Index> begin;
  std::vector<NodeId> neighbours;

  Adjacency(NodeId nodes, std::span<const NodeId> heads, std::span<const NodeId> tails);
  [[nodiscard]] NodeId nodes() const { return static_cast<NodeId>(begin.size()) - 1; }
  [[nodiscard]] std::span<const NodeId> of(NodeId i) const {
    return {neighbours.data() + begin[i], static_cast<std::size_t>(begin[i + 1] - begin[i])};
  }
};

/// Flops of the elimination of `columns` scalar columns with `rows` rows below them: Σ (rows + i)², i = 1 … columns.
[[nodiscard]] double elimination_flops(double columns, double rows);

/// Nodes in an order of elimination that keeps the factor of a matrix with block × block scalars per node sparse.
///
/// Leaves first, as long as there are any (linear time, no fill). Then approximate minimum degree (Amestoy, Davis, Duff
/// 1996) on the quotient graph. Nodes of very high degree come last; nodes that are left as nearly a clique are not
/// distinguished. Gives up as soon as the cost so far, or a lower bound on the cost of the rest, exceeds the limits.
[[nodiscard]] std::variant<std::vector<NodeId>, EliminationFailure> minimum_degree_order(
    const Adjacency& graph, Index block, const EliminationLimits& limits, const std::function<bool()>& stop);

}  // namespace gtvmin
