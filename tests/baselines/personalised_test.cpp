#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "federation.h"

namespace gtvmin {
namespace {

/// ∇f_i(v) + λ(v − w) of every node with samples, as one number.
double proximity_residual(const Problem& problem, const Matrix& v, const Matrix& w, double lambda) {
  double largest = 0;
  for (NodeId i = 0; i < problem.nodes(); ++i) {
    Vector g(problem.dimension());
    problem.loss(i).gradient(v.col(i), g);
    largest = std::max(largest, (g + lambda * (v.col(i) - w.col(i))).norm());
  }
  return largest;
}

// Where rounds stand still, w = average of w_i = w − ηλ(w − average of θ_i), so w is the average of the θ_i; and each
// θ_i, which goes on from round to round, is the exact prox at w.
TEST(Pfedme, EndsWithTheMoreauEnvelopesMinimised) {
  const SyntheticData data = two_clusters(1, 10, 10);
  const Federation federation(data.dataset, {.name = "linear"});
  const BaselineOptions options{
      .rounds = 4000, .tolerance = 1e-13, .local_epochs = 1, .learning_rate = 0.25, .proximity = 3, .inner_steps = 20};
  const Matrix theta = federation.run("pfedme", options).w;
  const Matrix w = theta.rowwise().mean().replicate(1, theta.cols());
  EXPECT_LT(proximity_residual(federation.problem(), theta, w, 3), 1e-8);
  EXPECT_GT((theta - w).norm(), 0.1);
}

// f = (w − 6)², λ = 2, L = 2, inner step 1/4: θ = 0 − (−12)/4 = 3, then gradient 2(3 − 6) + 2(3 − 0) = 0: θ stays 3.
// With ηλ = 0.5 · 2 = 1 w_i = 3, with 0.1 · 2 = 0.2: w_i = 0.2 · 3 = 0.6; a second local step has its prox at
// (2 · 6 + 2 · 0.6)/4 = 3.3, reached at once, and w_i = 0.6 + 0.2 · 2.7 = 1.14. The server moves by β · w_i.
// The node without samples shows the server's w.
TEST(Pfedme, TakesOneRoundAsDerivedByHand) {
  const Federation federation(one_dimensional({{{1, 6}}, {}}), {.name = "linear"});
  BaselineOptions options{.rounds = 1, .local_epochs = 2, .learning_rate = 0.1, .proximity = 2, .inner_steps = 2};
  Matrix w = federation.run("pfedme", options).w;
  EXPECT_NEAR(w(0, 0), 3.3, 1e-14);
  EXPECT_NEAR(w(0, 1), 1.14, 1e-14);
  options.mixing = 1.5;
  EXPECT_NEAR(federation.run("pfedme", options).w(0, 1), 1.5 * 1.14, 1e-14);
  options.local_epochs = 1;
  options.mixing = 1;
  options.learning_rate = 0.5;
  EXPECT_NEAR(federation.run("pfedme", options).w(0, 1), 3, 1e-14);
  options.learning_rate = 0.51;
  EXPECT_THAT(federation.refusal("pfedme", options),
              ::testing::HasSubstr("learning-rate = 0.51 times proximity = 2 is more than 1"))
      << "w_i would go beyond θ_i";
}

TEST(Pfedme, TriesNoTwoSettingsThatAreTheSame) {
  const SyntheticData data = two_clusters(1, 10, 10);
  const Federation federation(data.dataset, {.name = "linear"});
  const BaselineResult result = federation.run("pfedme", {.rounds = 3});
  EXPECT_EQ(result.tuning.size(), 14U);
  for (const TuningRow& row : result.tuning) {
    ASSERT_EQ(row.values.size(), 2U);
    EXPECT_LE(row.values[0].second * row.values[1].second, 1 + 1e-9);
    if (!row.chosen) continue;
    EXPECT_EQ(row.values[1].first, "proximity");
    EXPECT_EQ(row.values[0].second, result.options.learning_rate);
    EXPECT_EQ(row.values[1].second, result.options.proximity);
  }
  EXPECT_THAT(federation.refusal("pfedme", {.rounds = 3, .learning_rate = 1e6}), ::testing::HasSubstr("more than 1"));
}

TEST(Pfedme, HasAllClientsTrainAndAveragesTheParticipants) {
  const Federation federation(one_dimensional({{{1, 6}}, {{1, -2}}, {}}), {.name = "linear"});
  const BaselineOptions options{
      .rounds = 1, .local_epochs = 1, .learning_rate = 0.1, .participation = 0.5, .proximity = 2, .inner_steps = 2};
  const Matrix w = federation.run("pfedme", options).w;
  EXPECT_NEAR(w(0, 0), 3, 1e-14);
  EXPECT_NEAR(w(0, 1), -1, 1e-14);
  EXPECT_TRUE(std::abs(w(0, 2) - 0.6) < 1e-14 || std::abs(w(0, 2) + 0.2) < 1e-14) << w(0, 2);
}

TEST(Pfedme, TrainsInBatchesNoCurvatureOfABatchUpsets) {
  // One sample is a hundred times as curved as the others: a batch that has it, fifty times as the mean of all.
  const Federation federation(one_dimensional({{{10, 20}, {1, 2}, {1, 2}, {1, 2}}, {{1, 2}, {1, 2}, {1, 2}, {1, 2}}}),
                              {.name = "linear"});
  const BaselineOptions options{
      .rounds = 300, .local_epochs = 3, .batch_size = 1, .learning_rate = 0.3, .proximity = 1};
  EXPECT_LT((federation.run("pfedme", options).w.array() - 2).abs().maxCoeff(), 1e-6);
}

TEST(Ditto, SolvesTheProximityProblemAroundTheModelOfFedavg) {
  const SyntheticData data = two_clusters(1, 10, 10);
  const Federation federation(data.dataset, {.name = "linear"});
  BaselineOptions options{.rounds = 3000, .tolerance = 1e-14, .learning_rate = 0.02, .proximity = 1.5};
  const Matrix v = federation.run("ditto", options).w;
  const Matrix w = federation.run("fedavg", options).w;
  EXPECT_LT(proximity_residual(federation.problem(), v, w, 1.5), 1e-8);
}

TEST(Ditto, IsLocalWithoutProximityAndFedavgWithALot) {
  const SyntheticData data = two_clusters(1, 10, 10);
  const Federation federation(data.dataset, {.name = "linear"});
  BaselineOptions options{.rounds = 1000, .tolerance = 0, .learning_rate = 0.03, .proximity = 1e-12};
  const Matrix local = federation.run("local", {}).w;
  EXPECT_LT((federation.run("ditto", options).w - local).norm(), 1e-4 * local.norm());
  options.proximity = 1e9;
  const Matrix global = federation.run("fedavg", options).w;
  EXPECT_LT((federation.run("ditto", options).w - global).norm(), 1e-6 * global.norm());
}

// f = (w − 6)², η = 0.1, λ = 10, so a step is 0.1/(1 + 1) = 0.05. v: 0 → 0.05 · 12 = 0.6 → 0.6 − 0.05(−10.8 + 6) =
// 0.84. w: 6(1 − 0.8²) = 2.16, seen at the node without samples.
TEST(Ditto, TakesOneRoundAsDerivedByHand) {
  const Federation federation(one_dimensional({{{1, 6}}, {}}), {.name = "linear"});
  const Matrix w = federation.run("ditto", {.rounds = 1, .local_epochs = 2, .learning_rate = 0.1, .proximity = 10}).w;
  EXPECT_NEAR(w(0, 0), 0.84, 1e-14);
  EXPECT_NEAR(w(0, 1), 2.16, 1e-14);
}

}  // namespace
}  // namespace gtvmin
