#include "gtvmin/graph/neighbour_search.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <nanoflann.hpp>

#include "gtvmin/base/squared_distance.h"

namespace gtvmin {
namespace {

// Beyond some ten dimensions a tree visits nearly all points, and more slowly than the blocks do.
constexpr Index kMostTreeDimensions = 10;
// A block of queries and a block of points are compared at a time; at 1000 dimensions the two take half a megabyte.
constexpr Index kQueryBlock = 32;
constexpr Index kPointBlock = 32;
constexpr NodeId kNobody = -1;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The points as nanoflann wants to see them.
struct PointCloud {
  const Matrix& points;

  [[nodiscard]] std::size_t kdtree_get_point_count() const { return static_cast<std::size_t>(points.cols()); }
  [[nodiscard]] double kdtree_get_pt(std::size_t i, std::size_t k) const {
    return points(static_cast<Index>(k), static_cast<Index>(i));
  }
  template <class Box>
  bool kdtree_get_bbox(Box& /*box*/) const {
    return false;
  }
};

using KdTree =
    nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<double, PointCloud>, PointCloud, -1, NodeId>;

/// The k nearest seen so far, as a heap with the farthest on top; also what nanoflann calls a result set. Equally near
/// points are told apart by their number, so that the answer does not depend on the order in which they are seen.
class NearestSoFar {
 public:
  using DistanceType = double;

  NearestSoFar(Neighbour* heap, Index k, NodeId self) : heap_(heap), k_(k), self_(self) {}

  bool addPoint(double squared_distance, NodeId point) {  // NOLINT(readability-identifier-naming)
    if (point == self_) return true;
    const Neighbour found{squared_distance, point};
    if (count_ < k_) {
      heap_[count_++] = found;
      std::push_heap(heap_, heap_ + count_);
    } else if (found < heap_[0]) {
      std::pop_heap(heap_, heap_ + k_);
      heap_[k_ - 1] = found;
      std::push_heap(heap_, heap_ + k_);
    }
    return true;
  }
  /// nanoflann passes on what is nearer than this; a point as far as the farthest may still win by its number.
  [[nodiscard]] double worstDist() const {  // NOLINT(readability-identifier-naming)
    return count_ < k_ ? std::numeric_limits<double>::max() : std::nextafter(heap_[0].squared_distance, kInfinity);
  }
  [[nodiscard]] bool full() const { return count_ == k_; }
  void sort() { std::sort_heap(heap_, heap_ + count_); }

 private:
  Neighbour* heap_;
  Index k_;
  Index count_ = 0;
  NodeId self_;
};

/// Everything within a radius, as a result set of nanoflann.
class WithinRadius {
 public:
  using DistanceType = double;

  WithinRadius(double squared_radius, NodeId self) : limit_(std::nextafter(squared_radius, kInfinity)), self_(self) {}

  bool addPoint(double squared_distance, NodeId point) {  // NOLINT(readability-identifier-naming)
    if (point != self_) found.push_back({squared_distance, point});
    return true;
  }
  [[nodiscard]] double worstDist() const { return limit_; }  // NOLINT(readability-identifier-naming)
  [[nodiscard]] static bool full() { return true; }

  std::vector<Neighbour> found;

 private:
  double limit_;
  NodeId self_;
};

/// Compares a block of queries with all points; `first_self` is the number of the first query among them, or kNobody.
void search_block(const Matrix& points, ConstMatrixRef queries, Index first_self, Index k, Neighbour* out) {
  Matrix distances(queries.cols(), std::min(kPointBlock, points.cols()));
  std::vector<NearestSoFar> nearest;
  nearest.reserve(queries.cols());
  for (Index q = 0; q < queries.cols(); ++q) {
    nearest.emplace_back(out + q * k, k, first_self == kNobody ? kNobody : static_cast<NodeId>(first_self + q));
  }
  for (Index begin = 0; begin < points.cols(); begin += kPointBlock) {
    const Index count = std::min(kPointBlock, points.cols() - begin);
    squared_distances(queries, points.middleCols(begin, count), distances.leftCols(count));
    for (Index q = 0; q < queries.cols(); ++q) {
      for (Index p = 0; p < count; ++p) {
        if (distances(q, p) < nearest[q].worstDist()) {
          nearest[q].addPoint(distances(q, p), static_cast<NodeId>(begin + p));
        }
      }
    }
  }
  for (NearestSoFar& list : nearest) list.sort();
}

}  // namespace

struct NeighbourSearch::Tree {
  explicit Tree(const Matrix& points) : cloud{points}, tree(static_cast<int>(points.rows()), cloud) {}
  PointCloud cloud;
  KdTree tree;
};

NeighbourSearch::NeighbourSearch(Matrix points) : points_(std::make_unique<const Matrix>(std::move(points))) {
  if (size() > 0 && uses_tree(points_->rows())) tree_ = std::make_unique<const Tree>(*points_);
}
NeighbourSearch::NeighbourSearch(NeighbourSearch&& other) noexcept = default;
NeighbourSearch& NeighbourSearch::operator=(NeighbourSearch&& other) noexcept = default;
NeighbourSearch::~NeighbourSearch() = default;

bool NeighbourSearch::uses_tree(Index dimension) { return dimension <= kMostTreeDimensions; }

void NeighbourSearch::search(ConstMatrixRef queries, Index first_self, Index k, std::span<Neighbour> out) const {
  assert(static_cast<Index>(out.size()) == k * queries.cols() && queries.rows() == points_->rows());
  if (tree_ == nullptr) {
    for (Index begin = 0; begin < queries.cols(); begin += kQueryBlock) {
      const Index count = std::min(kQueryBlock, queries.cols() - begin);
      search_block(*points_, queries.middleCols(begin, count), first_self == kNobody ? kNobody : first_self + begin, k,
                   out.data() + begin * k);
    }
    return;
  }
  for (Index q = 0; q < queries.cols(); ++q) {
    NearestSoFar nearest(out.data() + q * k, k, first_self == kNobody ? kNobody : static_cast<NodeId>(first_self + q));
    tree_->tree.findNeighbors(nearest, queries.data() + q * queries.outerStride(), nanoflann::SearchParams());
    nearest.sort();
  }
}

void NeighbourSearch::nearest(ConstMatrixRef queries, Index k, std::span<Neighbour> out) const {
  assert(k >= 1 && k <= size());
  search(queries, kNobody, k, out);
}

void NeighbourSearch::nearest_others(Index begin, Index end, Index k, std::span<Neighbour> out) const {
  assert(k >= 1 && k < size());
  search(points_->middleCols(begin, end - begin), begin, k, out);
}

std::vector<Neighbour> NeighbourSearch::within(Index i, double radius) const {
  const auto self = static_cast<NodeId>(i);
  WithinRadius ball(radius * radius, self);
  if (tree_ != nullptr) {
    tree_->tree.findNeighbors(ball, points_->col(i).data(), nanoflann::SearchParams());
  } else {
    Vector distances(size());
    squared_distances(*points_, points_->col(i), distances);
    for (Index j = 0; j < size(); ++j) {
      if (distances[j] < ball.worstDist()) ball.addPoint(distances[j], static_cast<NodeId>(j));
    }
  }
  std::sort(ball.found.begin(), ball.found.end(),
            [](const Neighbour& x, const Neighbour& y) { return x.point < y.point; });
  return std::move(ball.found);
}

}  // namespace gtvmin
