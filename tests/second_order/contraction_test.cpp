#include "gtvmin/second_order/contraction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/random_problems.h"

namespace gtvmin {
namespace {

using ::testing::ElementsAre;

/// Groups whose numbers do not follow the order of the nodes everywhere, so that edges turn around.
Partition three_groups(NodeId nodes) {
  Partition partition{{}, 3};
  for (NodeId i = 0; i < nodes; ++i) partition.group_of.push_back((i * 7 % 5) % 3);
  return partition;
}

TEST(Contraction, TheObjectiveOfALiftedPointIsThatOfTheContractedProblem) {
  Rng rng(31);
  for (const auto& name : penalty_names()) {
    const auto problem = random_problem(31, {.penalty = name});
    const Contraction contraction(problem, three_groups(problem.nodes()));
    const Matrix groups = random_matrix(rng, problem.dimension(), 3);
    const Matrix w = contraction.lift_nodes(groups);
    double contracted = 0;
    NodeId members = 0;
    for (NodeId c = 0; c < 3; ++c) {
      for (const NodeId i : contraction.members(c)) {
        contracted += problem.loss(i).value(groups.col(c));
        EXPECT_EQ(w.col(i), groups.col(c));
        ++members;
      }
    }
    EXPECT_EQ(members, problem.nodes());
    const Matrix differences = apply_incidence(contraction.graph(), groups);
    for (EdgeId e = 0; e < contraction.graph().edges(); ++e) {
      contracted +=
          contraction.kappa(e) *
          std::visit([&](const auto& p) { return p.value(differences.data() + 3 * e, Index{3}); }, problem.penalty());
    }
    EXPECT_NEAR(objective(problem, w), contracted, 1e-12 * contracted) << name;
  }
}

TEST(Contraction, FlowsBetweenGroupsAddUpAndSpreadBack) {
  Rng rng(32);
  const auto problem = random_problem(32, {.nodes = 15, .extra_edges = 30});
  const Contraction contraction(problem, three_groups(problem.nodes()));
  Matrix u = random_matrix(rng, 3, problem.edges());

  // What leaves a group over contracted edges is what its nodes lose to other groups.
  const Matrix node_sums = apply_incidence_transpose(problem.graph(), u);
  Matrix group_sums = Matrix::Zero(3, 3);
  for (NodeId i = 0; i < problem.nodes(); ++i) group_sums.col(contraction.partition().group_of[i]) += node_sums.col(i);
  const Matrix contracted = contraction.contract_flow(u);
  EXPECT_LE((apply_incidence_transpose(contraction.graph(), contracted) - group_sums).norm(), 1e-13 * u.norm());

  const Matrix change = random_matrix(rng, 3, contraction.graph().edges());
  const Matrix before = u;
  contraction.add_flow(change, u);
  EXPECT_LE((contraction.contract_flow(u) - contracted - change).norm(), 1e-13 * u.norm());
  for (EdgeId e = 0; e < problem.edges(); ++e) {
    if (contraction.contracted(e) < 0) {
      EXPECT_EQ(u.col(e), before.col(e));
    }
  }
}

TEST(Contraction, MergesParallelEdgesAndTakesMeans) {
  // Path 0–1–2–3 with weights 1, 2, 3 and the edge 0–3 of weight 4; groups {0, 2} and {1, 3}: every edge runs between.
  std::vector<LossPtr> losses;
  for (int i = 0; i < 4; ++i) losses.push_back(QuadraticLoss::zero(1));
  const auto problem = *Problem::make(*EmpiricalGraph::make(4, {{0, 1, 1}, {1, 2, 2}, {2, 3, 3}, {0, 3, 4}}),
                                      std::move(losses), L1Penalty{}, 0.5);
  const Contraction contraction(problem, {{0, 1, 0, 1}, 2});
  ASSERT_EQ(contraction.graph().edges(), 1);
  EXPECT_DOUBLE_EQ(contraction.graph().weight(0), 10);
  EXPECT_DOUBLE_EQ(contraction.kappa(0), 5);
  // Edges in order: 0-1, 0-3, 1-2, 2-3; only 1-2 points from the second group to the first.
  std::vector<double> signs;
  for (EdgeId e = 0; e < 4; ++e) signs.push_back(contraction.sign(e));
  EXPECT_THAT(signs, ElementsAre(1, 1, -1, 1));
  EXPECT_EQ(contraction.contract_nodes(Matrix{{1, 10, 3, 20}}), (Matrix{{2, 15}}));
}

}  // namespace
}  // namespace gtvmin
