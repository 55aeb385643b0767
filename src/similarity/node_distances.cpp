#include "gtvmin/similarity/node_distances.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "gtvmin/base/squared_distance.h"
#include "gtvmin/similarity/coordinates.h"

namespace gtvmin {
namespace {

// Queries that a thread takes at a time: in many dimensions a block of them shares what is loaded.
constexpr Index kChunk = 64;

/// The place of the pair (i, i + 1).
Index row_start(Index i, Index nodes) { return i * (2 * nodes - i - 1) / 2; }

}  // namespace

PairOfNodes pair_at(Index place, NodeId nodes) {
  const Index n = nodes;
  const auto b = static_cast<double>(2 * n - 1);
  auto i = static_cast<Index>((b - std::sqrt(b * b - 8 * static_cast<double>(place))) / 2);
  // The square root may be off by one.
  i = std::clamp<Index>(i, 0, n - 2);
  while (i > 0 && row_start(i, n) > place) --i;
  while (i < n - 2 && row_start(i + 1, n) <= place) ++i;
  return {static_cast<NodeId>(i), static_cast<NodeId>(i + 1 + place - row_start(i, n))};
}

NodeDistances NodeDistances::between_points(Matrix points, Scale scale) {
  NodeDistances distances;
  distances.search_.emplace(std::move(points));
  distances.scale_ = scale;
  return distances;
}

NodeDistances NodeDistances::from_matrix(Matrix matrix) {
  assert(matrix.rows() == matrix.cols());
  NodeDistances distances;
  distances.matrix_ = std::move(matrix);
  return distances;
}

NodeId NodeDistances::nodes() const { return static_cast<NodeId>(search_ ? search_->size() : matrix_.cols()); }

double NodeDistances::told(double squared_distance) const {
  const double distance = std::sqrt(squared_distance);
  return scale_ == Scale::kEuclidean ? distance : arc_kilometres(distance);
}

void NodeDistances::ranks_from(NodeId i, VectorRef out) const {
  if (!search_) {
    out = matrix_.col(i);
    return;
  }
  const Matrix& points = search_->points();
  for (NodeId j = 0; j < nodes(); ++j) {
    out[j] = told(squared_distance(points.col(i).data(), points.col(j).data(), points.rows()));
  }
}

Result<std::vector<std::vector<NodePair>>> NodeDistances::nearest(NodeId k, const SimilarityContext& context) const {
  const NodeId count = nodes();
  std::vector<std::vector<NodePair>> lists(count);
  const Index chunks = (count + kChunk - 1) / kChunk;
  const auto search_points = [&](int /*worker*/, Index chunk) {
    const Index begin = chunk * kChunk;
    const Index end = std::min<Index>(begin + kChunk, count);
    std::vector<Neighbour> found((end - begin) * k);
    search_->nearest_others(begin, end, k, found);
    for (Index i = begin; i < end; ++i) {
      for (Index rank = 0; rank < k; ++rank) {
        const Neighbour& neighbour = found[(i - begin) * k + rank];
        lists[i].push_back({static_cast<NodeId>(i), neighbour.point, told(neighbour.squared_distance)});
      }
    }
  };
  const auto scan_rows = [&](int /*worker*/, Index chunk) {
    std::vector<Neighbour> row;  // squared_distance holds the rank here
    for (Index i = chunk * kChunk; i < std::min<Index>((chunk + 1) * kChunk, count); ++i) {
      row.clear();
      for (NodeId j = 0; j < count; ++j) {
        if (j != i && std::isfinite(matrix_(j, i))) row.push_back({matrix_(j, i), j});
      }
      const auto kept = std::min<std::ptrdiff_t>(k, static_cast<std::ptrdiff_t>(row.size()));
      std::partial_sort(row.begin(), row.begin() + kept, row.end());
      for (auto at = row.begin(); at != row.begin() + kept; ++at) {
        lists[i].push_back({static_cast<NodeId>(i), at->point, std::max(0.0, at->squared_distance)});
      }
    }
  };
  const Status done = search_ ? for_each_item(context, "neighbours", chunks, 1, search_points)
                              : for_each_item(context, "neighbours", chunks, 1, scan_rows);
  if (!done) return done.error();
  return lists;
}

Result<std::vector<NodePair>> NodeDistances::within(double radius, Index most, const SimilarityContext& context) const {
  const NodeId count = nodes();
  // A little more than asked for, because the distance that is told is rounded after the search.
  const double reach = (scale_ == Scale::kEuclidean ? radius : chord_of_kilometres(radius)) * (1 + 1e-9);
  std::vector<std::vector<NodePair>> rows(count);
  std::atomic<Index> found{0};
  const auto search_row = [&](int /*worker*/, Index item) {
    if (found.load(std::memory_order_relaxed) > most) return;
    const auto i = static_cast<NodeId>(item);
    if (search_) {
      for (const Neighbour& neighbour : search_->within(i, reach)) {
        const double distance = told(neighbour.squared_distance);
        if (neighbour.point > i && distance <= radius) rows[i].push_back({i, neighbour.point, distance});
      }
    } else {
      for (NodeId j = i + 1; j < count; ++j) {
        if (matrix_(j, i) <= radius && std::isfinite(matrix_(j, i)))
          rows[i].push_back({i, j, std::max(0.0, matrix_(j, i))});
      }
    }
    found.fetch_add(static_cast<Index>(rows[i].size()), std::memory_order_relaxed);
  };
  if (const Status done = for_each_item(context, "neighbours", count, kChunk, search_row); !done) return done.error();
  if (found.load() > most) return usage_error(fmt::format("epsilon: joins more than {} pairs of nodes", most));
  std::vector<NodePair> pairs;
  pairs.reserve(found.load());
  for (std::vector<NodePair>& row : rows) {
    pairs.insert(pairs.end(), row.begin(), row.end());
    row = {};
  }
  return pairs;
}

}  // namespace gtvmin
