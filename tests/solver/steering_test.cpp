// The primal weight: what it makes of displacements.
#include "gtvmin/solver/steering.h"

#include <gtest/gtest.h>

#include <cmath>

#include "testing/random_problems.h"

namespace gtvmin {
namespace {

/// A window in which w came `ratio` times as far as u, in the norms of the method with weight 1.
SteeringSums shifted(double ratio) {
  SteeringSums sums;
  sums.sums[SteeringSums::kPrimalShift2].add(ratio * ratio);
  sums.sums[SteeringSums::kDualShift2].add(1);
  return sums;
}

TEST(PrimalWeight, MovesToTheRatioOfDisplacements) {
  for (const double ratio : {1e-4, 1e-1, 1e2, 1e5}) {
    PrimalWeight weight;
    for (int k = 1; k < 20; ++k) weight.adapt(shifted(ratio), k, {});
    EXPECT_NEAR(std::log(weight.value() / ratio), 0, 1e-3);
  }
}

TEST(PrimalWeight, ChangesByAtMostItsFactorAndNotWithoutDisplacements) {
  const SolverTuning tuning;
  PrimalWeight weight;
  weight.adapt(shifted(1e30), 5, tuning);
  EXPECT_EQ(weight.value(), tuning.weight_change);
  weight.adapt(shifted(0), 20, tuning);
  EXPECT_EQ(weight.value(), tuning.weight_change);
  EXPECT_EQ(weight.changes(), 1);
}

TEST(PrimalWeight, OpensWindowsThatGrowWithTheIterations) {
  const SolverTuning tuning;
  PrimalWeight weight;
  EXPECT_TRUE(weight.due(0));
  weight.adapt(shifted(1), 5, tuning);
  EXPECT_FALSE(weight.due(4 + tuning.least_window));
  EXPECT_TRUE(weight.due(5 + tuning.least_window));
  weight.adapt(shifted(1), 1000, tuning);
  EXPECT_FALSE(weight.due(1359));
  EXPECT_TRUE(weight.due(1360));
}

TEST(AddDisplacement, IsTheSameForEveryPartition) {
  const Problem problem = random_problem(3, {.nodes = 12, .extra_edges = 20});
  Rng rng(7);
  const Matrix w = random_matrix(rng, problem.dimension(), problem.nodes());
  const Matrix u = random_matrix(rng, problem.dimension(), problem.edges());
  const Matrix w_start = random_matrix(rng, problem.dimension(), problem.nodes());
  const Matrix u_start = random_matrix(rng, problem.dimension(), problem.edges());
  const auto displacement = [&](NodeId parts) {
    SteeringSums sums;
    for (NodeId part = 0; part < parts; ++part) {
      std::vector<NodeId> owned;
      for (NodeId i = part; i < problem.nodes(); i += parts) owned.push_back(i);
      Shard shard(problem, owned);
      set_weight_scales(shard);
      set_state(shard, w, u);
      set_window(shard, w_start, u_start);
      add_displacement(shard, sums);
    }
    return sums;
  };
  const SteeringSums whole = displacement(1);
  double expected = 0;
  for (EdgeId e = 0; e < problem.edges(); ++e) {
    expected += 2 / std::sqrt(problem.graph().weight(e)) * (u.col(e) - u_start.col(e)).squaredNorm();
  }
  EXPECT_NEAR(whole[SteeringSums::kDualShift2], expected, 1e-12 * expected);
  EXPECT_GT(whole[SteeringSums::kPrimalShift2], 0);
  for (const NodeId parts : {2, 5}) {
    const SteeringSums sums = displacement(parts);
    EXPECT_EQ(sums[SteeringSums::kPrimalShift2], whole[SteeringSums::kPrimalShift2]);
    EXPECT_EQ(sums[SteeringSums::kDualShift2], whole[SteeringSums::kDualShift2]);
  }
}

}  // namespace
}  // namespace gtvmin
