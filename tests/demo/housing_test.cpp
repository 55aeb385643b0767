#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gtvmin/demo/sacramento.h"

namespace gtvmin {
namespace {

using ::testing::DoubleNear;

// Houses on a street that runs north, 0.001 degrees of latitude (111.2 m) apart; price and size rise with the number.
std::vector<House> street(int houses) {
  std::vector<House> all;
  for (int i = 0; i < houses; ++i) {
    all.push_back({.beds = 1.0 + i % 3,
                   .baths = 1,
                   .sqft = 1000.0 + 10 * i,
                   .price = 100.0 + i,
                   .latitude = 38 + 0.001 * i,
                   .longitude = -121});
  }
  return all;
}

TEST(Housing, ReadsTheColumnsItNeedsWhereverTheyStand) {
  const auto houses = parse_houses("h.csv", "city,price,longitude,latitude,beds,baths,sqft\n\"A, B\",5,1,2,3,4,6\n");
  ASSERT_TRUE(houses);
  ASSERT_EQ(houses->size(), 1u);
  EXPECT_EQ(houses->front().price, 5);
  EXPECT_EQ(houses->front().latitude, 2);
  EXPECT_EQ(houses->front().sqft, 6);
}

TEST(Housing, NamesThePlaceOfWhatItCannotRead) {
  const std::string header = "price,longitude,latitude,beds,baths,sqft\n";
  const auto message = [&](const std::string& rows) { return parse_houses("h.csv", rows).error().messages.front(); };
  EXPECT_EQ(message(""), "h.csv: the file is empty");
  EXPECT_EQ(message("price\n1\n"), "h.csv:1: there is no column 'beds'");
  EXPECT_EQ(message(header + "1,1,1,1,1,1\n1,1,1,1,1\n"), "h.csv:3: a row of another length than the header");
  EXPECT_EQ(message(header + "1,1,inf,1,1,1\n"), "h.csv:2: 'inf' in column 'latitude' is not a number");
}

TEST(Housing, WeightsAreInverseDistancesWithMeanOne) {
  std::vector<House> houses = street(5);
  houses[1].latitude = houses[0].latitude;  // the same place: 25 m, not 0
  const HousingProblem problem = make_housing_problem(houses, 1, 1, 7);
  double sum = 0;
  double touching = 0;
  double neighbours = 0;
  for (const WeightedEdge& edge : problem.known.edges) {
    sum += edge.weight;
    if (edge.a == 0 && edge.b == 1) touching = edge.weight;
    if (edge.a == 3 && edge.b == 4) neighbours = edge.weight;
  }
  EXPECT_NEAR(sum, static_cast<double>(problem.known.edges.size()), 1e-12);
  // 0.001 degrees of a circle of radius 6371 km are 111.19 m.
  EXPECT_NEAR(touching / neighbours, 111.19 / 25, 1e-2);
}

TEST(Housing, WithheldHousesLeaveNoTraceInTheKnownData) {
  std::vector<House> houses = street(12);
  const HousingProblem problem = make_housing_problem(houses, 4, 2, 3);
  ASSERT_EQ(problem.known.samples(), 8);
  ASSERT_EQ(problem.withheld.samples(), 4);
  EXPECT_NEAR(problem.known.labels.mean(), 0, 1e-12);
  EXPECT_NEAR(problem.known.labels.squaredNorm() / 8, 1, 1e-12);
  for (NodeId i = 0; i < 12; ++i) {
    EXPECT_EQ(problem.known.samples_of(i) + problem.withheld.samples_of(i), 1);
    if (problem.withheld.samples_of(i) == 1) houses[static_cast<std::size_t>(i)].price = 1e6;
  }
  const HousingProblem changed = make_housing_problem(houses, 4, 2, 3);
  EXPECT_EQ(changed.known.labels, problem.known.labels);
  EXPECT_EQ(changed.known.features, problem.known.features);
}

// The price is a linear function of the size, so a pooled linear model is perfect, and the others are what they are.
TEST(Housing, BaselinesAreComputedOnTheWithheldHousesOnly) {
  const HousingProblem problem = make_housing_problem(street(12), 4, 2, 3);
  const HousingBaselines baselines = housing_baselines(problem, 1);
  EXPECT_NEAR(baselines.pooled_linear, 0, 1e-20);
  EXPECT_NEAR(baselines.mean_price, problem.withheld.labels.squaredNorm() / 4, 1e-15);
  EXPECT_GT(baselines.nearest_sales, 0);
}

TEST(Housing, ErrorFindsTheParametersOfAHouseByItsName) {
  const HousingProblem problem = make_housing_problem(street(5), 2, 1, 1);
  const ModelPtr model = *make_model({.name = "linear", .intercept = true}, shape_of(problem.known));
  // Each house gets its own price as intercept, in reverse order of the nodes.
  std::vector<std::string> names(problem.withheld.node_names.rbegin(), problem.withheld.node_names.rend());
  Matrix w = Matrix::Zero(4, 5);
  for (NodeId i = 0; i < 5; ++i) {
    if (problem.withheld.samples_of(i) > 0)
      w(3, 4 - i) = problem.withheld.labels(problem.withheld.first_sample[i]) + 0.5;
  }
  EXPECT_NEAR(housing_error(*model, w, names, problem.withheld), 0.25, 1e-15);
}

TEST(Housing, CrossValidationHidesEveryKnownHouseOnce) {
  const HousingProblem problem = make_housing_problem(street(12), 2, 2, 5);
  std::vector<int> hidden(12, 0);
  const auto count_hidden = [&](const Dataset& part, double, double lambda) -> Result<Matrix> {
    for (NodeId i = 0; i < 12; ++i) hidden[static_cast<std::size_t>(i)] += part.samples_of(i) == 0 ? 1 : 0;
    // Predicts λ for everybody, so that the error is the mean of (y − λ)² over the known houses: 1 + λ².
    return Matrix((Matrix(4, 12) << Matrix::Zero(3, 12), Matrix::Constant(1, 12, lambda)).finished());
  };
  const ModelPtr model = *make_model({.name = "linear", .intercept = true}, shape_of(problem.known));
  const auto compared =
      cross_validate_housing(problem.known, {{.lambda = 0}, {.lambda = 2}}, *model, 3, 1, count_hidden);
  ASSERT_TRUE(compared);
  EXPECT_THAT((*compared)[0].error, DoubleNear(1, 1e-12));
  EXPECT_THAT((*compared)[1].error, DoubleNear(5, 1e-12));
  for (NodeId i = 0; i < 12; ++i) {
    const bool withheld = problem.withheld.samples_of(i) > 0;
    EXPECT_EQ(hidden[static_cast<std::size_t>(i)], withheld ? 2 * 3 : 2 * 1) << "node " << i;
  }
}

}  // namespace
}  // namespace gtvmin
