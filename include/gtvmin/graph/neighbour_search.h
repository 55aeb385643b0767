#pragma once

#include <memory>
#include <span>
#include <vector>

#include "gtvmin/base/types.h"

namespace gtvmin {

/// A point that was found, and how far it is from what was asked for.
struct Neighbour {
  double squared_distance = 0;
  NodeId point = 0;

  /// Nearer first; of two equally near points the one with the smaller number.
  friend auto operator<=>(const Neighbour&, const Neighbour&) = default;
};

/// Nearest points in Euclidean distance, exactly. In few dimensions by a kd-tree, about log n steps for a query; in
/// many, where no tree helps, by comparing with every point, in blocks that stay in the cache. Immutable: any number of
/// threads may ask at the same time.
class NeighbourSearch {
 public:
  /// The columns of `points`, which must be finite and not so large that their squares overflow (|x| ≤ 1e150).
  explicit NeighbourSearch(Matrix points);
  NeighbourSearch(NeighbourSearch&& other) noexcept;
  NeighbourSearch& operator=(NeighbourSearch&& other) noexcept;
  ~NeighbourSearch();

  /// True where a query costs about log n, false where it costs n.
  [[nodiscard]] static bool uses_tree(Index dimension);

  [[nodiscard]] const Matrix& points() const { return *points_; }
  [[nodiscard]] Index size() const { return points_->cols(); }

  /// The k nearest points of every column of `queries`, ascending, one list after the other. 1 ≤ k ≤ size().
  void nearest(ConstMatrixRef queries, Index k, std::span<Neighbour> out) const;
  /// The k nearest others of the points begin … end − 1, the point itself left out. 1 ≤ k < size().
  void nearest_others(Index begin, Index end, Index k, std::span<Neighbour> out) const;
  /// The points at distance ≤ radius of point i, itself left out, in the order of their numbers.
  [[nodiscard]] std::vector<Neighbour> within(Index i, double radius) const;

 private:
  struct Tree;
  void search(ConstMatrixRef queries, Index first_self, Index k, std::span<Neighbour> out) const;

  std::unique_ptr<const Matrix> points_;  // never moves: the tree holds on to it
  std::unique_ptr<const Tree> tree_;      // null in many dimensions
};

}  // namespace gtvmin
