#include "gtvmin/graph/neighbour_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gtvmin/base/rng.h"
#include "gtvmin/base/squared_distance.h"

namespace gtvmin {
namespace {

// Whole numbers from a small range: many points are equally near, and many are the same.
Matrix points_on_a_grid(Index d, Index count, std::uint64_t range) {
  Rng rng(7);
  Matrix points(d, count);
  for (double& x : points.reshaped()) x = static_cast<double>(rng.below(range));
  return points;
}

std::vector<Neighbour> sorted_by_hand(const Matrix& points, const Vector& query, Index self) {
  std::vector<Neighbour> all;
  for (Index j = 0; j < points.cols(); ++j) {
    if (j != self) all.push_back({(points.col(j) - query).squaredNorm(), static_cast<NodeId>(j)});
  }
  std::sort(all.begin(), all.end());
  return all;
}

// 2 dimensions use the tree, 13 the blocks; on whole numbers every sum is exact, so that ties are ties for all.
TEST(NeighbourSearch, FindsTheSameAsSortingAllDistancesAlsoAmongTies) {
  for (const Index d : {2, 13}) {
    const Matrix points = points_on_a_grid(d, 301, d == 2 ? 9 : 3);
    const NeighbourSearch search(points);
    constexpr Index kNearest = 6;
    std::vector<Neighbour> found(points.cols() * kNearest);
    search.nearest_others(0, points.cols(), kNearest, found);
    for (Index i = 0; i < points.cols(); ++i) {
      const auto expected = sorted_by_hand(points, points.col(i), i);
      for (Index rank = 0; rank < kNearest; ++rank) {
        ASSERT_EQ(found[i * kNearest + rank], expected[rank]) << d << " dimensions, point " << i << ", rank " << rank;
      }
    }
  }
}

TEST(NeighbourSearch, AnswersQueriesThatAreNoPoints) {
  for (const Index d : {1, 3, 20}) {
    const Matrix points = points_on_a_grid(d, 97, 5);
    const Matrix queries = points_on_a_grid(d, 40, 11).array() - 2;
    const NeighbourSearch search(points);
    std::vector<Neighbour> found(queries.cols() * points.cols());
    search.nearest(queries, points.cols(), found);
    for (Index q = 0; q < queries.cols(); ++q) {
      const auto expected = sorted_by_hand(points, queries.col(q), -1);
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), found.begin() + q * points.cols()));
    }
  }
}

TEST(NeighbourSearch, ABallHoldsItsBoundaryAndNotItsCentre) {
  for (const Index d : {1, 12}) {
    Matrix points = Matrix::Zero(d, 5);
    points.row(0) << 0, 1, 2, 3, 0;
    const auto found = NeighbourSearch(points).within(0, 2);
    ASSERT_EQ(found.size(), 3U);
    EXPECT_EQ(found[0].point, 1);
    EXPECT_EQ(found[1].point, 2);
    EXPECT_EQ(found[1].squared_distance, 4);
    EXPECT_EQ(found[2].point, 4);
  }
}

TEST(SquaredDistances, HaveTheSameBitsAloneAndInBlocks) {
  Rng rng(3);
  for (const Index d : {1, 2, 3, 4, 7, 30}) {
    Matrix points(d, 11);
    for (double& x : points.reshaped()) x = rng.normal();
    Matrix block(6, 5);
    squared_distances(points.leftCols(6), points.rightCols(5), block);
    for (Index i = 0; i < 6; ++i) {
      for (Index j = 0; j < 5; ++j) {
        EXPECT_EQ(block(i, j), squared_distance(points.col(6 + j).data(), points.col(i).data(), d));
        EXPECT_NEAR(block(i, j), (points.col(i) - points.col(6 + j)).squaredNorm(), 1e-13);
      }
    }
  }
}

}  // namespace
}  // namespace gtvmin
