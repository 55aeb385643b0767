#include <gtest/gtest.h>

#include <cmath>

#include "gtvmin/certify/certify.h"
#include "gtvmin/solver/solver.h"
#include "testing/random_problems.h"

namespace gtvmin {
namespace {

TEST(Solve, ReachesATightToleranceForEveryModelAndPenalty) {
  for (const std::string model : {"linear", "logistic", "point"}) {
    for (const auto& penalty : penalty_names()) {
      for (const double lambda : {1e-3, 0.1, 3.0}) {
        for (std::uint64_t seed = 1; seed <= 2; ++seed) {
          SCOPED_TRACE(::testing::Message() << model << " " << penalty << " λ = " << lambda << " seed " << seed);
          const auto problem = random_problem(seed, {.model = model,
                                                     .penalty = penalty,
                                                     .nodes = 20,
                                                     .extra_edges = 20,
                                                     .lambda = lambda,
                                                     .weight_spread = 1.5});
          const auto result = solve(problem, {.tolerance = 1e-9});
          EXPECT_EQ(result.status, SolveStatus::kSolved);
          EXPECT_EQ(result.certificate.kind, Certificate::Kind::kGap);
          EXPECT_LE(result.certificate.value, 1e-9 * std::abs(result.objective));
          EXPECT_NEAR(result.objective, objective(problem, result.w), 1e-12 * result.objective);
        }
      }
    }
  }
}

TEST(Solve, TheCertificateOfAStoppedRunHolds) {
  for (const std::string model : {"linear", "logistic", "point"}) {
    for (const auto& penalty : penalty_names()) {
      SCOPED_TRACE(model + " " + penalty);
      const auto problem = random_problem(5, {.model = model, .penalty = penalty});
      const SolveResult best = solve(problem, {.tolerance = 1e-11});
      int bounds = 0;
      for (const std::int64_t most : {1, 10, 60}) {
        for (const auto method : {Method::kAdaptive, Method::kAlgorithm1}) {
          const auto result = solve(
              problem,
              {.method = method, .tolerance = 1e-12, .max_iterations = most, .accelerators = Accelerators::none()});
          if (!is_bound(result.certificate)) continue;
          ++bounds;
          EXPECT_GE(result.certificate.value, result.objective - best.objective);
        }
      }
      EXPECT_GE(bounds, 1);
    }
  }
}

TEST(Solve, ReturnsAFlowThatBelongsToTheParameters) {
  for (const auto& penalty : penalty_names()) {
    const auto problem = random_problem(6, {.penalty = penalty});
    const auto result = solve(problem, {.tolerance = 1e-10});
    const Matrix sums = apply_incidence_transpose(problem.graph(), result.u);
    Vector gradient(problem.dimension());
    for (NodeId i = 0; i < problem.nodes(); ++i) {
      problem.loss(i).gradient(result.w.col(i), gradient);
      EXPECT_LE((gradient + sums.col(i)).norm(), 1e-4) << penalty << ", node " << i;
    }
  }
}

TEST(Solve, ScheduledAndExactInnerSolvesReachTheSameOptimum) {
  for (const auto method : {Method::kAdaptive, Method::kAlgorithm1}) {
    const auto problem = random_problem(7, {.model = "logistic", .penalty = "l2", .lambda = 0.05});
    SolverOptions options{.method = method, .tolerance = 1e-8, .accelerators = Accelerators::none()};
    const auto scheduled = solve(problem, options);
    options.inner_solves = InnerSolves::kExact;
    const auto exact = solve(problem, options);
    EXPECT_EQ(scheduled.status, SolveStatus::kSolved);
    EXPECT_EQ(exact.status, SolveStatus::kSolved);
    EXPECT_NEAR(scheduled.objective, exact.objective, 2e-8 * exact.objective);
    EXPECT_LE((scheduled.w - exact.w).norm(), 1e-2 * exact.w.norm());
  }
}

TEST(Solve, AcceleratorsNeverGiveAWorseAnswer) {
  for (const auto& penalty : penalty_names()) {
    const auto problem = random_problem(8, {.penalty = penalty});
    const auto plain = solve(problem, {.tolerance = 1e-6, .accelerators = Accelerators::none()});
    const auto accelerated = solve(problem, {.tolerance = 1e-6});
    EXPECT_EQ(plain.status, SolveStatus::kSolved) << penalty;
    EXPECT_FALSE(plain.clusters_exact);
    EXPECT_EQ(plain.newton_steps, 0);
    EXPECT_LE(accelerated.objective, plain.objective * (1 + 1e-6));
    EXPECT_LE(accelerated.certificate.relative, 1e-6);
  }
}

}  // namespace
}  // namespace gtvmin
