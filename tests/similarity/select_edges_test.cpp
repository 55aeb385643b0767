#include "gtvmin/similarity/select_edges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "gtvmin/similarity/connect.h"
#include "similarity/similarity_fixtures.h"

namespace gtvmin {
namespace {

using Join = EdgeRule::Join;

std::vector<std::pair<NodeId, NodeId>> ends(const std::vector<NodePair>& pairs) {
  std::vector<std::pair<NodeId, NodeId>> list;
  for (const NodePair& pair : pairs) list.emplace_back(pair.a, pair.b);
  return list;
}

Matrix matrix_of(const Matrix& points) {
  Matrix matrix(points.cols(), points.cols());
  for (Index i = 0; i < points.cols(); ++i) matrix.col(i) = (points.colwise() - points.col(i)).colwise().norm();
  return matrix;
}

std::vector<NodePair> select(const NodeDistances& distances, const EdgeRule& rule) {
  QuietContext context;
  return select_edges(distances, rule, context)->pairs;
}

NodeId components(NodeId nodes, const std::vector<NodePair>& pairs) {
  std::vector<WeightedEdge> edges;
  for (const NodePair& pair : pairs) edges.push_back({pair.a, pair.b, 1});
  return connected_groups(*EmpiricalGraph::make(nodes, edges)).groups;
}

// Points 0, 1, 3, 7 on a line: each one's nearest is 1, 0, 1, 3.
TEST(SelectEdges, NearestJoinsIfOneWantsAndMutualIfBothDo) {
  const auto line = NodeDistances::between_points((Matrix(1, 4) << 0, 1, 3, 7).finished());
  using Pairs = std::vector<std::pair<NodeId, NodeId>>;
  EXPECT_EQ(ends(select(line, {.neighbours = 1})), (Pairs{{0, 1}, {1, 2}, {2, 3}}));
  EXPECT_EQ(ends(select(line, {.neighbours = 1, .mutual = true})), (Pairs{{0, 1}}));
  EXPECT_EQ(ends(select(line, {.join = Join::kBall, .epsilon = 3})), (Pairs{{0, 1}, {0, 2}, {1, 2}}));
  EXPECT_EQ(select(line, {.join = Join::kFull}).size(), 6U);
}

TEST(SelectEdges, MutualNeighboursAreAmongTheUnion) {
  const auto distances = NodeDistances::between_points(normal_points(3, 200, 4));
  const auto all = ends(select(distances, {.neighbours = 4}));
  const auto mutual = ends(select(distances, {.neighbours = 4, .mutual = true}));
  EXPECT_TRUE(std::includes(all.begin(), all.end(), mutual.begin(), mutual.end()));
  EXPECT_LT(mutual.size(), all.size());
  EXPECT_GT(mutual.size(), 200U);
}

// Points in a plane, the same points as a matrix, and the same points in 12 dimensions.
TEST(SelectEdges, IsTheSameFromTreeBlocksAndMatrix) {
  const Matrix points = normal_points(2, 150, 8);
  Matrix high = Matrix::Zero(12, 150);
  high.topRows(2) = points;
  for (const EdgeRule& rule :
       {EdgeRule{.neighbours = 3, .connect = true}, EdgeRule{.join = Join::kBall, .epsilon = 0.2},
        EdgeRule{.neighbours = 2, .mutual = true, .connect = true}}) {
    const auto expected = ends(select(NodeDistances::between_points(points), rule));
    EXPECT_EQ(ends(select(NodeDistances::between_points(high), rule)), expected);
    EXPECT_EQ(ends(select(NodeDistances::from_matrix(matrix_of(points)), rule)), expected);
  }
}

// Kruskal's algorithm, by sorting all pairs.
double length_of_spanning_tree(const Matrix& matrix) {
  std::vector<NodePair> pairs;
  for (NodeId i = 0; i < matrix.cols(); ++i) {
    for (NodeId j = i + 1; j < matrix.cols(); ++j) pairs.push_back({i, j, matrix(i, j)});
  }
  std::sort(pairs.begin(), pairs.end(), [](const auto& x, const auto& y) { return x.distance < y.distance; });
  std::vector<NodeId> group(matrix.cols());
  std::iota(group.begin(), group.end(), NodeId{0});
  double length = 0;
  for (const NodePair& pair : pairs) {
    if (group[pair.a] == group[pair.b]) continue;
    length += pair.distance;
    const NodeId from = group[pair.b];
    std::replace(group.begin(), group.end(), from, NodeId{group[pair.a]});
  }
  return length;
}

TEST(Connect, WithoutEdgesIsTheMinimumSpanningTree) {
  QuietContext context;
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Matrix points = normal_points(2, 60, seed);
    const auto distances = NodeDistances::between_points(points);
    const auto tree = connecting_pairs_by_tree(distances, {}, context);
    EXPECT_EQ(tree->size(), 59U);
    EXPECT_EQ(components(60, *tree), 1);
    double length = 0;
    for (const NodePair& pair : *tree) length += pair.distance;
    EXPECT_NEAR(length, length_of_spanning_tree(matrix_of(points)), 1e-12);
    EXPECT_EQ(ends(*tree), ends(*connecting_pairs_by_rows(distances, {}, context)));
  }
}

TEST(Connect, AddsNoMoreEdgesThanThereArePartsToJoin) {
  Matrix points(2, 300);
  points << normal_points(2, 100, 1), normal_points(2, 100, 2, 50), normal_points(2, 100, 3, -50);
  const auto distances = NodeDistances::between_points(points);
  const auto loose = select(distances, {.neighbours = 2});
  QuietContext context;
  const auto joined = select_edges(distances, {.neighbours = 2, .connect = true}, context);
  EXPECT_EQ(joined->added_to_connect, components(300, loose) - 1);
  EXPECT_EQ(components(300, joined->pairs), 1);
}

TEST(Connect, BreaksTiesAndSurvivesRepeatedPoints) {
  Matrix points = Matrix::Zero(2, 40);
  points.rightCols(10).setOnes();
  QuietContext context;
  const auto distances = NodeDistances::between_points(points);
  const auto tree = connecting_pairs_by_tree(distances, {}, context);
  EXPECT_EQ(components(40, *tree), 1);
  EXPECT_EQ(ends(*tree), ends(*connecting_pairs_by_rows(distances, {}, context)));
}

TEST(Connect, LeavesApartWhatHasNoDistance) {
  Matrix matrix = Matrix::Constant(4, 4, std::numeric_limits<double>::infinity());
  matrix(0, 1) = matrix(1, 0) = 1;
  matrix(2, 3) = matrix(3, 2) = 2;
  const auto pairs = select(NodeDistances::from_matrix(matrix), {.neighbours = 2, .connect = true});
  EXPECT_EQ(ends(pairs), (std::vector<std::pair<NodeId, NodeId>>{{0, 1}, {2, 3}}));
}

TEST(SelectEdges, RefusesRulesThatMakeNoSense) {
  QuietContext context;
  const auto distances = NodeDistances::between_points(normal_points(2, 5, 1));
  for (const EdgeRule& rule : {EdgeRule{.neighbours = 5}, EdgeRule{.neighbours = 0}, EdgeRule{.join = Join::kBall}}) {
    const auto selected = select_edges(distances, rule, context);
    ASSERT_FALSE(selected);
    EXPECT_EQ(selected.error().kind, Error::Kind::kUsage);
  }
}

}  // namespace
}  // namespace gtvmin
