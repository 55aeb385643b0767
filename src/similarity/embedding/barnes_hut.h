#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "gtvmin/base/types.h"

namespace gtvmin {

/// A tree of square cells (2^D children each) over points in D dimensions, for sums over all points that take far cells
/// as one. Cells stand in depth-first order, so that a walk needs no stack; cells with one occupied child are left out.
template <int D>
class CellTree {
 public:
  using Point = std::array<double, D>;

  /// The sums over all other points j of q² (y − y_j) and q, where q = 1/(1 + ‖y − y_j‖²).
  struct Repulsion {
    Point force{};
    double sum = 0;
  };

  /// `points` holds D numbers for each point. A cell is taken as one where width < theta·distance.
  void build(const double* points, Index count, double theta) {
    theta2_ = theta * theta;
    order_points(points, count);
    cells_.clear();
    if (count > 0) add_cell(0, count, kBits);
  }

  /// Points in the order of the cells, in which neighbours are near in memory: number and place of the k-th.
  [[nodiscard]] NodeId number(Index k) const { return sorted_[k].second; }

  [[nodiscard]] Repulsion repulsion(Index k) const {
    const Point y = places_[k];
    Repulsion result;
    const auto cells = static_cast<Index>(cells_.size());
    for (Index c = 0; c < cells;) {
      const Cell& cell = cells_[c];
      if (cell.is_leaf) {
        for (Index j = cell.begin; j < cell.end; ++j) add(y, places_[j], 1, result);
        c = cell.next;
      } else if (cell.squared_width < theta2_ * squared(y, cell.centre)) {
        add(y, cell.centre, static_cast<double>(cell.end - cell.begin), result);
        c = cell.next;
      } else {
        ++c;
      }
    }
    result.sum -= 1;  // the point itself, which its leaf has counted; its force is 0
    return result;
  }

 private:
  static constexpr int kBits = D == 1 ? 52 : D == 2 ? 30 : 20;  // per axis; D·kBits ≤ 63
  static constexpr Index kLeafSize = 4;

  struct Cell {
    Point centre{};  // of mass
    double squared_width = 0;
    Index begin = 0, end = 0;  // its points
    Index next = 0;            // the cell after all that are inside this one
    bool is_leaf = false;
  };

  static double squared(const Point& x, const Point& y) {
    double sum = 0;
    for (int k = 0; k < D; ++k) sum += (x[k] - y[k]) * (x[k] - y[k]);
    return sum;
  }
  static void add(const Point& y, const Point& other, double count, Repulsion& result) {
    const double q = 1 / (1 + squared(y, other));
    const double mass = count * q;
    result.sum += mass;
    for (int k = 0; k < D; ++k) result.force[k] += mass * q * (y[k] - other[k]);
  }

  /// Sorts the points along the curve that visits cell after cell: the bits of their coordinates, interleaved.
  void order_points(const double* points, Index count) {
    Point low;
    low.fill(std::numeric_limits<double>::infinity());
    double width = 0;
    for (int k = 0; k < D; ++k) {
      double high = -low[k];
      for (Index i = 0; i < count; ++i) {
        low[k] = std::min(low[k], points[i * D + k]);
        high = std::max(high, points[i * D + k]);
      }
      width = std::max(width, high - low[k]);
    }
    width_ = std::max(width * (1 + 1e-9), std::numeric_limits<double>::min());
    sorted_.resize(count);
    for (Index i = 0; i < count; ++i) {
      std::uint64_t code = 0;
      for (int bit = kBits - 1; bit >= 0; --bit) {
        for (int k = 0; k < D; ++k) code = code << 1 | (step(points[i * D + k] - low[k]) >> bit & 1);
      }
      sorted_[i] = {code, static_cast<NodeId>(i)};
    }
    std::sort(sorted_.begin(), sorted_.end());
    places_.resize(count);
    for (Index i = 0; i < count; ++i) {
      for (int k = 0; k < D; ++k) places_[i][k] = points[sorted_[i].second * D + k];
    }
  }
  [[nodiscard]] std::uint64_t step(double offset) const {
    return static_cast<std::uint64_t>(offset / width_ * static_cast<double>(std::uint64_t{1} << kBits));
  }

  /// A cell of points that agree in all but the last `bits` bits of every coordinate.
  void add_cell(Index begin, Index end, int bits) {
    const bool is_leaf = end - begin <= kLeafSize;
    // Go down while all points lie in one child.
    while (!is_leaf && bits > 0 && sorted_[begin].first >> D * (bits - 1) == sorted_[end - 1].first >> D * (bits - 1)) {
      --bits;
    }
    const auto self = static_cast<Index>(cells_.size());
    cells_.emplace_back();
    Cell cell;
    cell.begin = begin;
    cell.end = end;
    cell.is_leaf = is_leaf || bits == 0;
    const double width = width_ / static_cast<double>(std::uint64_t{1} << (kBits - bits));
    cell.squared_width = width * width;
    for (Index j = begin; j < end; ++j) {
      for (int k = 0; k < D; ++k) cell.centre[k] += places_[j][k];
    }
    for (double& x : cell.centre) x /= static_cast<double>(end - begin);
    if (!cell.is_leaf) add_children(begin, end, bits - 1);
    cell.next = static_cast<Index>(cells_.size());
    cells_[self] = cell;
  }
  void add_children(Index begin, Index end, int bits) {
    while (begin < end) {
      const std::uint64_t prefix = sorted_[begin].first >> D * bits;
      const auto child_end = std::partition_point(
          sorted_.begin() + begin, sorted_.begin() + end,
          [&](const std::pair<std::uint64_t, NodeId>& point) { return point.first >> D * bits == prefix; });
      const Index middle = child_end - sorted_.begin();
      add_cell(begin, middle, bits);
      begin = middle;
    }
  }

  double theta2_ = 0;
  double width_ = 0;
  std::vector<std::pair<std::uint64_t, NodeId>> sorted_;
  std::vector<Point> places_;
  std::vector<Cell> cells_;
};

}  // namespace gtvmin
