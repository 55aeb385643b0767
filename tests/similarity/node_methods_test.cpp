#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "gtvmin/similarity/coordinates.h"
#include "gtvmin/similarity/correlation.h"
#include "gtvmin/similarity/local_parameters.h"
#include "gtvmin/similarity/similarity.h"
#include "similarity/similarity_fixtures.h"

namespace gtvmin {
namespace {

double first_to(const NodeDistances& distances, NodeId j) {
  Vector row(distances.nodes());
  distances.ranks_from(0, row);
  return row[j];
}

Matrix columns(std::initializer_list<std::pair<double, double>> pairs) {
  Matrix matrix(2, static_cast<Index>(pairs.size()));
  Index k = 0;
  for (const auto& [x, y] : pairs) matrix.col(k++) << x, y;
  return matrix;
}

// A quarter of a great circle, and Paris to New York by the haversine formula.
TEST(Coordinates, OnEarthAreGreatCircles) {
  const auto distances = distances_on_earth(dataset_of(
      {columns({{48.8566, 2.3522}}), columns({{40.7128, -74.006}}), columns({{90, 0}}), columns({{0, 17}})}));
  const double radians = std::numbers::pi / 180;
  const double h = std::pow(std::sin(radians * (48.8566 - 40.7128) / 2), 2) +
                   std::cos(radians * 48.8566) * std::cos(radians * 40.7128) *
                       std::pow(std::sin(radians * (2.3522 + 74.006) / 2), 2);
  EXPECT_NEAR(first_to(*distances, 1), 2 * 6371.0088 * std::asin(std::sqrt(h)), 1e-6);
  EXPECT_NEAR(first_to(*distances, 1), 5837, 1);
  Vector from_pole(4);
  distances->ranks_from(2, from_pole);
  EXPECT_NEAR(from_pole[3], 6371.0088 * std::numbers::pi / 2, 1e-6);
}

TEST(Coordinates, AcrossTheDateLineAreNear) {
  // Two rows of one node on both sides: the mean lies on the line, not at longitude 0.
  const auto distances =
      distances_on_earth(dataset_of({columns({{0, 179}, {0, -179}}), columns({{0, 180}}), columns({{0, 181}})}));
  EXPECT_NEAR(first_to(*distances, 1), 0, 1e-9);
  EXPECT_NEAR(first_to(*distances, 2), 6371.0088 * std::numbers::pi / 180, 1e-6);
}

TEST(Coordinates, OutsideTheEarthAreRefusedWithTheirNode) {
  const auto distances = distances_on_earth(dataset_of({columns({{90.5, 0}}), columns({{0, 400}})}));
  ASSERT_FALSE(distances);
  ASSERT_EQ(distances.error().messages.size(), 2U);
  EXPECT_EQ(distances.error().messages[0], "node 'n0': latitude 90.5 is outside -90 to 90");
}

TEST(Correlation, IsTakenOverCommonTimes) {
  // n1 repeats n0 upside down at the common times 1, 2, 3; time 9 stands in n1 alone. n3 has two common times only.
  const Dataset dataset = dataset_of({columns({{3, 6}, {1, 2}, {2, 3}}), columns({{1, -2}, {2, -3}, {3, -6}, {9, 100}}),
                                      columns({{1, 4}, {2, 4}, {3, 4}}), columns({{1, 1}, {2, 2}, {7, 7}})});
  QuietContext context;
  const auto signed_distances = correlation_distances(dataset, false, 3, context);
  EXPECT_NEAR(first_to(*signed_distances, 1), 2, 1e-14);
  EXPECT_EQ(first_to(*signed_distances, 2), 1);  // constant
  EXPECT_TRUE(std::isinf(first_to(*signed_distances, 3)));
  EXPECT_NEAR(first_to(*correlation_distances(dataset, true, 3, context), 1), 0, 1e-14);
}

TEST(Correlation, RefusesTwoValuesAtOneTime) {
  QuietContext context;
  const auto distances =
      correlation_distances(dataset_of({columns({{1, 2}, {1, 3}}), columns({{1, 2}})}), false, 2, context);
  ASSERT_FALSE(distances);
  EXPECT_EQ(distances.error().messages[0], "node 'n0' has two values at time 1");
}

// y = 2x at n0, y = −x at n1, both without noise: parameters 2 and −1.
TEST(Parameters, AreComparedAsFitted) {
  Dataset dataset = dataset_of({Matrix::Constant(1, 2, 1), Matrix::Constant(1, 3, 2)});
  dataset.labels = (Vector(5) << 2, 2, -2, -2, -2).finished();
  QuietContext context;
  EXPECT_NEAR(first_to(*distances_between_parameters(dataset, {}, context), 1), 3, 1e-12);
}

TEST(Parameters, RefuseALossWithoutMinimumAndNameTheNode) {
  Dataset dataset = dataset_of({Matrix::Constant(1, 2, 1), (Matrix(1, 2) << 1, 1).finished()});
  dataset.labels = (Vector(4) << 1, 1, 1, -1).finished();
  QuietContext context;
  const auto separable = distances_between_parameters(dataset, {.name = "logistic"}, context);
  ASSERT_FALSE(separable);
  EXPECT_NE(separable.error().messages[0].find("'n0'"), std::string::npos);
  EXPECT_TRUE(distances_between_parameters(dataset, {.name = "logistic", .ridge = 0.1}, context));
}

TEST(Similarity, RefusesWhatCannotBeCompared) {
  const Dataset two = dataset_of({normal_points(2, 8, 1), normal_points(2, 4, 2)});
  QuietContext context;
  const auto message = [&](const Dataset& dataset, const SimilaritySpec& spec) {
    const auto distances = node_distances(dataset, spec, context);
    return distances ? std::string() : distances.error().messages.front();
  };
  EXPECT_NE(message(dataset_of({normal_points(2, 8, 1)}), {.method = "kl-knn"}).find("two nodes"), std::string::npos);
  EXPECT_NE(message(two, {.method = "kl-knn"}).find("node 'n1' has 4 samples"), std::string::npos);
  EXPECT_EQ(message(two, {.method = "kl-knn", .kl_neighbours = 3}), "");
  EXPECT_NE(message(two, {.method = "wasserstein", .metric = "haversine"}).find("metric:"), std::string::npos);
  EXPECT_NE(message(two, {.method = "nearest"}).find("unknown method"), std::string::npos);
  EXPECT_NE(message(dataset_of({Matrix::Constant(2, 1, 1e200), normal_points(2, 1, 2)}), {.method = "knn-coordinates"})
                .find("overflow"),
            std::string::npos);
}

TEST(Similarity, TellsQuadraticCostsAndNoOthers) {
  std::vector<Matrix> nodes(10, normal_points(2, 7, 1));
  const Dataset dataset = dataset_of(nodes);
  EXPECT_EQ(similarity_cost(dataset, {.method = "knn-coordinates"}, 2).pairs, 0);
  EXPECT_EQ(similarity_cost(dataset, {.method = "parameters"}, 3).pairs, 0);
  const auto cost = similarity_cost(dataset, {.method = "kl-knn"}, 2);
  EXPECT_EQ(cost.pairs, 45);
  EXPECT_EQ(cost.steps, 70 * 9);  // a search of every sample in every other node
  EXPECT_EQ(similarity_cost(dataset, {.method = "kl-knn"}, 50).steps, 45 * 49 * 2);  // all pairs of samples, both ways
}

TEST(Similarity, StopsWhenTheObserverSaysSo) {
  std::vector<Matrix> nodes(10, normal_points(2, 9, 1));
  ThreadTeam team(1);
  int calls = 0;
  const SimilarityContext context{team, [&](const StageRecord& record) {
                                    EXPECT_LE(record.done, record.total);
                                    return ++calls < 15;
                                  }};
  EXPECT_FALSE(node_distances(dataset_of(nodes), {.method = "kl-knn"}, context));
  EXPECT_EQ(calls, 15);
}

}  // namespace
}  // namespace gtvmin
