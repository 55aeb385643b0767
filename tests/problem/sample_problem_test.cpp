#include "gtvmin/problem/sample_problem.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gtvmin/loss/profile_loss.h"
#include "gtvmin/loss/softmax_loss.h"
#include "testing/random_problems.h"

namespace gtvmin {
namespace {

Partition random_groups(Rng& rng, NodeId nodes, NodeId groups) {
  Partition partition{std::vector<NodeId>(nodes), groups};
  for (NodeId i = 0; i < nodes; ++i) {
    partition.group_of[i] = i < groups ? i : static_cast<NodeId>(rng.below(groups));
  }
  return partition;
}

TEST(SampleProblem, HasTheObjectiveOfItsProblem) {
  ThreadTeam team(1);
  Rng rng(1);
  for (const std::string model : {"linear", "logistic", "point"}) {
    for (const auto& penalty : penalty_names()) {
      SCOPED_TRACE(model + " " + penalty);
      const Problem problem = random_problem(2, {.model = model, .penalty = penalty});
      const auto samples = SampleProblem::make(problem);
      ASSERT_TRUE(samples.has_value());
      const Matrix w = random_matrix(rng, samples->dimension(), problem.nodes(), 2);
      const double expected = objective(problem, w);
      EXPECT_NEAR(static_cast<double>(samples->objective(w, team)), expected, 1e-12 * expected);
      const auto losses = samples->group_losses(w, team);
      for (NodeId i = 0; i < problem.nodes(); ++i) {
        const double value = problem.loss(i).value(w.col(i));
        EXPECT_NEAR(static_cast<double>(losses[i]), value, 1e-11 * (1 + std::abs(value)));
      }
    }
  }
}

TEST(SampleProblem, ContractionAddsTheWeightsOfEdgesBetweenTheSameGroups) {
  ThreadTeam team(1);
  Rng rng(2);
  for (int trial = 0; trial < 20; ++trial) {
    const Problem problem = random_problem(3 + trial, {.nodes = 15, .extra_edges = 30});
    const SampleProblem samples = *SampleProblem::make(problem);
    const Partition groups = random_groups(rng, 15, static_cast<NodeId>(1 + rng.below(6)));
    const SampleProblem contracted = samples.contracted(groups);
    ASSERT_EQ(contracted.nodes(), groups.groups);
    Vector sums = Vector::Zero(contracted.edges());
    for (EdgeId e = 0; e < problem.edges(); ++e) {
      const NodeId head = groups.group_of[problem.graph().head(e)];
      const NodeId tail = groups.group_of[problem.graph().tail(e)];
      const auto [edge, sign] = contracted.image(e);
      ASSERT_EQ(edge < 0, head == tail);
      if (edge < 0) continue;
      EXPECT_EQ(contracted.graph().head(edge), sign > 0 ? head : tail);
      EXPECT_EQ(contracted.graph().tail(edge), sign > 0 ? tail : head);
      sums[edge] += problem.kappa(e);
    }
    for (EdgeId e = 0; e < contracted.edges(); ++e) EXPECT_NEAR(contracted.kappa(e), sums[e], 1e-14 * sums[e]);
    const Matrix w = random_matrix(rng, contracted.dimension(), contracted.nodes());
    const auto expected = static_cast<double>(samples.objective(contracted.scatter(w), team));
    EXPECT_NEAR(static_cast<double>(contracted.objective(w, team)), expected, 1e-13 * expected);
    EXPECT_LE((contracted.gather(contracted.scatter(w)) - w).norm(), 1e-14 * w.norm());
  }
}

TEST(SampleProblem, KeepsParametersThatNoEdgeCouples) {
  ThreadTeam team(1);
  Rng rng(3);
  std::vector<LossPtr> losses;
  for (int i = 0; i < 4; ++i) {
    losses.push_back(
        profile_loss(LogisticLoss::make(random_matrix(rng, 3, 6), random_labels(rng, 6), 0.2, Vector::Constant(3, 0.1)),
                     std::vector<Index>{0, 2}));
  }
  const Problem problem =
      *Problem::make(*EmpiricalGraph::make(4, {{0, 1, 1}, {1, 2, 2}, {2, 3, 1}}), std::move(losses), L2Penalty{}, 0.3);
  const auto samples = SampleProblem::make(problem);
  ASSERT_TRUE(samples.has_value());
  EXPECT_EQ(samples->dimension(), 3);
  EXPECT_EQ(samples->coupled_dimension(), 2);
  EXPECT_EQ(samples->coupled(1), 2);
  const Matrix w = random_matrix(rng, 2, 4);
  Matrix all = all_parameters(problem, w);
  const double best = objective(problem, w);
  EXPECT_NEAR(static_cast<double>(samples->objective(all, team)), best, 1e-10 * best);
  all.row(1).array() += 0.5;  // the private parameter
  EXPECT_GT(static_cast<double>(samples->objective(all, team)), best);
}

TEST(SampleProblem, IsNothingWhereALossIsNoSumOverSamples) {
  Rng rng(4);
  std::vector<LossPtr> losses;
  losses.push_back(SoftmaxLoss::make(random_matrix(rng, 2, 4), Vector{{0, 1, 2, 1}}, 3, 1, Vector::Constant(6, 0.1)));
  losses.push_back(QuadraticLoss::zero(6));
  const Problem problem = *Problem::make(*EmpiricalGraph::make(2, {{0, 1, 1}}), std::move(losses), L2Penalty{}, 0.3);
  EXPECT_FALSE(SampleProblem::make(problem).has_value());
}

}  // namespace
}  // namespace gtvmin
