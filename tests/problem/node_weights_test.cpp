#include "gtvmin/problem/node_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "testing/random_problems.h"

namespace gtvmin {
namespace {

using ::testing::HasSubstr;

TEST(NodeWeights, MultiplyTheLossesAndNothingElse) {
  const RandomProblem spec{.penalty = "quadratic", .nodes = 6, .dimension = 3};
  const Problem plain = random_problem(5, spec);
  Rng rng(6);
  Vector weights(6);
  for (double& weight : weights) weight = 0.1 + 3 * rng.uniform();
  const Problem weighted = *weigh_nodes(random_problem(5, spec), weights);
  const Matrix w = random_matrix(rng, 3, 6);
  EXPECT_LE((node_losses(weighted, w) - weights.cwiseProduct(node_losses(plain, w))).norm(), 1e-12);
  EXPECT_NEAR(total_variation(weighted, w), total_variation(plain, w), 1e-12);
  EXPECT_EQ(weighted.lambda(), plain.lambda());
  EXPECT_TRUE(weighted.loss(1).is_trivial());
}

TEST(NodeWeights, ArePositiveAndOnePerNode) {
  const auto refusal = [](const Vector& weights) {
    const auto weighted = weigh_nodes(random_problem(5, {.nodes = 3}), weights);
    return weighted ? std::string() : weighted.error().messages.front();
  };
  EXPECT_THAT(refusal(Vector::Ones(2)), HasSubstr("2 weights for 3 nodes"));
  EXPECT_THAT(refusal(Vector{{1, 0, 1}}), HasSubstr("the weight of node 1 is 0"));
  EXPECT_THAT(refusal(Vector{{1, 1, std::numeric_limits<double>::infinity()}}), HasSubstr("node 2"));
  EXPECT_EQ(refusal(Vector::Ones(3)), "");
}

}  // namespace
}  // namespace gtvmin
