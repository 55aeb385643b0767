#pragma once

#include <optional>
#include <vector>

#include "gtvmin/graph/neighbour_search.h"
#include "gtvmin/similarity/context.h"

namespace gtvmin {

/// Two nodes and how far apart they are.
struct NodePair {
  NodeId a = 0;
  NodeId b = 0;
  double distance = 0;
};

/// The distances between nodes: either each node is a point, and nothing quadratic is ever stored, or a symmetric
/// matrix. An entry +∞ says that two nodes cannot be compared and are never joined. An entry below 0, an estimate of
/// something that is not, is told as 0 but keeps its rank: with all of them 0, low numbers would become hubs.
class NodeDistances {
 public:
  /// How the Euclidean distance between two points is told.
  enum class Scale {
    kEuclidean,
    /// Points are unit vectors, from the centre of the earth; distances are kilometres along its surface.
    kKilometres,
  };

  /// Columns are nodes; |x| ≤ 1e150.
  static NodeDistances between_points(Matrix points, Scale scale = Scale::kEuclidean);
  /// Symmetric, no NaN.
  static NodeDistances from_matrix(Matrix matrix);

  [[nodiscard]] NodeId nodes() const;
  [[nodiscard]] bool are_points() const { return search_.has_value(); }
  /// Only where are_points().
  [[nodiscard]] const NeighbourSearch& search() const { return *search_; }
  /// True where the neighbours of a node are found without looking at all others.
  [[nodiscard]] bool have_tree() const { return are_points() && NeighbourSearch::uses_tree(search().points().rows()); }

  /// The distances of node i from all nodes, with negative entries as they are.
  void ranks_from(NodeId i, VectorRef out) const;

  /// For every node its k nearest others, by rank, then by number; fewer where distances are +∞.
  [[nodiscard]] Result<std::vector<std::vector<NodePair>>> nearest(NodeId k, const SimilarityContext& context) const;
  /// All pairs a < b with distance ≤ radius, sorted; fails if there are more than `most`.
  [[nodiscard]] Result<std::vector<NodePair>> within(double radius, Index most, const SimilarityContext& context) const;

  /// The distance that two points with this squared Euclidean distance have.
  [[nodiscard]] double told(double squared_distance) const;

 private:
  NodeDistances() = default;
  std::optional<NeighbourSearch> search_;
  Scale scale_ = Scale::kEuclidean;
  Matrix matrix_;
};

/// The pair i < j of n nodes that has this place in the order (0, 1), (0, 2), …, (1, 2), ….
struct PairOfNodes {
  NodeId i = 0;
  NodeId j = 0;
};
[[nodiscard]] PairOfNodes pair_at(Index place, NodeId nodes);

/// Fills a symmetric matrix with distance(worker, i, j) for all i < j; the diagonal is 0.
template <class Distance>
[[nodiscard]] Result<Matrix> all_pairs(const SimilarityContext& context, NodeId nodes, const Distance& distance) {
  Matrix matrix = Matrix::Zero(nodes, nodes);
  const auto fill = [&](int worker, Index place) {
    const PairOfNodes pair = pair_at(place, nodes);
    matrix(pair.i, pair.j) = matrix(pair.j, pair.i) = distance(worker, pair.i, pair.j);
  };
  const Index pairs = Index{nodes} * (nodes - 1) / 2;
  // Small enough that threads end together, large enough that taking a chunk costs nothing.
  const Index chunk = 1 + pairs / 4096;
  if (const Status done = for_each_item(context, "distances", pairs, chunk, fill); !done) return done.error();
  return matrix;
}

}  // namespace gtvmin
