#include "gtvmin/second_order/newton.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "testing/random_problems.h"

namespace gtvmin {
namespace {

Partition singletons(NodeId nodes) {
  Partition partition{{}, nodes};
  for (NodeId i = 0; i < nodes; ++i) partition.group_of.push_back(i);
  return partition;
}

Problem two_points(double a, double b, double kappa, Penalty penalty) {
  std::vector<LossPtr> losses;
  losses.push_back(QuadraticLoss::points(Matrix::Constant(1, 1, a), 1, 0));
  losses.push_back(QuadraticLoss::points(Matrix::Constant(1, 1, b), 1, 0));
  return *Problem::make(*EmpiricalGraph::make(2, {{0, 1, 1}}), std::move(losses), std::move(penalty), kappa);
}

NewtonResult from_zero(const Problem& problem) {
  const Contraction contraction(problem, singletons(problem.nodes()));
  return minimise_by_newton(contraction, Matrix::Zero(problem.dimension(), problem.nodes()),
                            Matrix::Zero(problem.dimension(), problem.edges()), 200);
}

// (w₁ − 0)² + (w₂ − 4)² + κ|w₁ − w₂|: as long as w₁ < w₂ the flow is −κ, so 2w₁ = κ and 2(w₂ − 4) = −κ. They meet at
// κ = 4, in the middle; beyond, the flow stays at −4.
TEST(Newton, FindsTwoPointsApartAndFused) {
  for (const Penalty& penalty : {Penalty(L1Penalty{}), Penalty(L2Penalty{}), Penalty(LinfPenalty{})}) {
    SCOPED_TRACE(penalty_name(penalty));
    const auto apart = from_zero(two_points(0, 4, 1, test_penalty(penalty_name(penalty), 1)));
    EXPECT_TRUE(apart.converged);
    EXPECT_NEAR(apart.w(0, 0), 0.5, 1e-13);
    EXPECT_NEAR(apart.w(0, 1), 3.5, 1e-13);
    EXPECT_NEAR(apart.u(0, 0), -1, 1e-13);
    EXPECT_EQ(apart.fused.at(0), 0);
    const auto fused = from_zero(two_points(0, 4, 6, test_penalty(penalty_name(penalty), 1)));
    EXPECT_TRUE(fused.converged);
    EXPECT_NEAR(fused.w(0, 0), 2, 1e-13);
    EXPECT_NEAR(fused.w(0, 1), 2, 1e-13);
    EXPECT_NEAR(fused.u(0, 0), -4, 1e-12);
    EXPECT_EQ(fused.fused.at(0), 1);
  }
}

// With κ/2 (w₁ − w₂)² the difference Δ obeys 2Δ + 8 + 2κΔ = 0, so Δ = −4/(1 + κ) around the mean 2.
TEST(Newton, SolvesASmoothPenalty) {
  const auto result = from_zero(two_points(0, 4, 3, SquaredL2Penalty{}));
  EXPECT_TRUE(result.converged);
  EXPECT_NEAR(result.w(0, 0), 1.5, 1e-13);
  EXPECT_NEAR(result.w(0, 1), 2.5, 1e-13);
  EXPECT_NEAR(result.u(0, 0), -3, 1e-12);
  EXPECT_EQ(result.fused.at(0), 0);
}

TEST(Newton, MeetsTheOptimalityConditionsOnRandomProblems) {
  for (const std::string model : {"linear", "logistic", "point"}) {
    for (const auto& name : penalty_names()) {
      SCOPED_TRACE(model + " " + name);
      const auto problem = random_problem(41, {.model = model, .penalty = name});
      const auto result = from_zero(problem);
      EXPECT_TRUE(result.converged);
      const Matrix sums = apply_incidence_transpose(problem.graph(), result.u);
      Vector gradient(problem.dimension());
      for (NodeId i = 0; i < problem.nodes(); ++i) {
        problem.loss(i).gradient(result.w.col(i), gradient);
        EXPECT_LE((gradient + sums.col(i)).norm(), 1e-9) << "node " << i;
      }
      const Matrix differences = apply_incidence(problem.graph(), result.w);
      Vector scratch(3);
      for (EdgeId e = 0; e < problem.edges(); ++e) {
        const double gap = std::visit(
            [&](const auto& p) {
              return p.fenchel_young(differences.data() + 3 * e, result.u.data() + 3 * e, Index{3}, problem.kappa(e),
                                     scratch.data());
            },
            problem.penalty());
        EXPECT_LE(gap, 1e-9) << "edge " << e;
      }
    }
  }
}

// Groups without data have no columns to build a Hessian of, which Eigen's products for large matrices do not bear.
TEST(Newton, BearsManyParametersAndNodesWithoutData) {
  const auto problem = random_problem(43, {.nodes = 6, .extra_edges = 3, .dimension = 60, .without_data_every = 3});
  const auto result = from_zero(problem);
  const Matrix residuals = loss_gradients(problem, result.w) + apply_incidence_transpose(problem.graph(), result.u);
  EXPECT_LE(residuals.norm(), 1e-9);
}

TEST(Newton, StopsAtItsLimitAndSaysSo) {
  const auto problem = random_problem(42, {.model = "logistic", .penalty = "l2"});
  const Contraction contraction(problem, singletons(problem.nodes()));
  const auto result =
      minimise_by_newton(contraction, Matrix::Zero(3, problem.nodes()), Matrix::Zero(3, problem.edges()), 1);
  EXPECT_EQ(result.steps, 1);
  EXPECT_FALSE(result.converged);
  EXPECT_TRUE(has_curvature(problem));
  EXPECT_GT(newton_step_work(contraction), 0);
}

}  // namespace
}  // namespace gtvmin
