#include "gtvmin/certify/certify.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gtvmin/solver/solver.h"
#include "testing/random_problems.h"

namespace gtvmin {
namespace {

/// The least objective that the solver finds; it is at least F*, so F(w) − best never exceeds the true suboptimality.
SolveResult best_of(const Problem& problem) { return solve(problem, {.tolerance = 1e-11, .max_iterations = 20000}); }

/// A pair near the optimum for small `size`, far away for large.
void disturb(Rng& rng, double size, Matrix& w, Matrix& u) {
  w += size * random_matrix(rng, w.rows(), w.cols());
  u += size * random_matrix(rng, u.rows(), u.cols());
}

void expect_sound(const Problem& problem, const Matrix& w, const Certified& certified, double best) {
  const auto& certificate = certified.certificate;
  const double suboptimality = objective(problem, w) - best;
  EXPECT_GE(certificate.value, suboptimality - 1e-12 * std::abs(best));
  EXPECT_TRUE(std::isfinite(certificate.value));
  EXPECT_NE(certificate.kind, Certificate::Kind::kResidualOnly);
  ASSERT_EQ(certificate.node_terms.size(), problem.nodes());
  ASSERT_EQ(certificate.edge_terms.size(), problem.edges());
  EXPECT_GE(certificate.node_terms.minCoeff(), 0);
  EXPECT_GE(certificate.edge_terms.minCoeff(), 0);
  EXPECT_NEAR(certificate.node_terms.sum() + certificate.edge_terms.sum(), certificate.value,
              1e-12 * certificate.value);
}

TEST(Certificate, IsAboveTheTrueSuboptimalityNearAndFarFromTheOptimum) {
  Rng rng(51);
  for (const std::string model : {"linear", "logistic", "point"}) {
    for (const auto& name : penalty_names()) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        SCOPED_TRACE(::testing::Message() << model << " " << name << " seed " << seed);
        const auto problem = random_problem(seed, {.model = model, .penalty = name, .weight_spread = 1.5});
        const auto best = best_of(problem);
        for (const double size : {1e-9, 1e-6, 1e-3, 0.1, 1.0, 10.0}) {
          Matrix w = best.w;
          Matrix u = best.u;
          disturb(rng, size, w, u);
          const auto certified = certify(problem, w, u);
          expect_sound(problem, w, certified, best.objective);
          if (size <= 1) {  // very far out rounding shows in a flow
            EXPECT_EQ(certified.certificate.kind, Certificate::Kind::kGap) << "size " << size;
          }
        }
        const Matrix zero = Matrix::Zero(problem.dimension(), problem.nodes());
        const Matrix no_flow = Matrix::Zero(problem.dimension(), problem.edges());
        expect_sound(problem, zero, certify(problem, zero, no_flow), best.objective);
      }
    }
  }
}

TEST(Certificate, IsTightAtTheOptimum) {
  for (const std::string model : {"linear", "logistic", "point"}) {
    for (const auto& name : penalty_names()) {
      SCOPED_TRACE(model + " " + name);
      const auto problem = random_problem(7, {.model = model, .penalty = name});
      const auto best = best_of(problem);
      const auto certified = certify(problem, best.w, best.u);
      EXPECT_EQ(certified.certificate.kind, Certificate::Kind::kGap);
      EXPECT_LE(certified.certificate.relative, 1e-10);
    }
  }
}

TEST(Certificate, OfAQuadraticProblemIsExact) {
  Rng rng(52);
  const auto problem = random_problem(8, {.model = "linear", .penalty = "squared_l2"});
  const auto best = best_of(problem);
  Matrix w = best.w;
  Matrix u = best.u;
  disturb(rng, 0.1, w, u);
  const double suboptimality = objective(problem, w) - best.objective;
  EXPECT_NEAR(certify(problem, w, u).certificate.value, suboptimality, 1e-8 * suboptimality);
}

TEST(Certificate, ItsFlowIsFeasibleForANorm) {
  Rng rng(53);
  for (const auto& name : penalty_names()) {
    const auto problem = random_problem(9, {.penalty = name});
    if (!is_norm(problem.penalty())) continue;
    const auto certified =
        certify(problem, random_matrix(rng, 3, problem.nodes()), random_matrix(rng, 3, problem.edges(), 5));
    std::visit(
        [&](const auto& penalty) {
          if constexpr (std::decay_t<decltype(penalty)>::kIsNorm) {
            for (EdgeId e = 0; e < problem.edges(); ++e) {
              EXPECT_LE(penalty.dual_norm(certified.u.data() + 3 * e, Index{3}), problem.kappa(e) * (1 + 1e-14));
            }
          }
        },
        problem.penalty());
  }
}

TEST(Certificate, IsFiniteForSeveralComponentsIsolatedNodesAndNoDataAtAll) {
  Rng rng(54);
  // 0–1–2 with data at 0 only, 3 alone with data, 4 alone without, 5–6 without data.
  std::vector<LossPtr> losses;
  for (NodeId i = 0; i < 7; ++i) {
    losses.push_back(i == 0 || i == 3 ? random_loss(rng, "linear", 4) : QuadraticLoss::zero(4));
  }
  const auto problem =
      *Problem::make(*EmpiricalGraph::make(7, {{0, 1, 1}, {1, 2, 10}, {5, 6, 1}}), std::move(losses), L2Penalty{}, 0.3);
  const auto best = best_of(problem);
  const Matrix w = random_matrix(rng, 4, 7);
  const auto certified = certify(problem, w, random_matrix(rng, 4, 3));
  EXPECT_EQ(certified.certificate.kind, Certificate::Kind::kGap);
  expect_sound(problem, w, certified, best.objective);
  EXPECT_LE(best.certificate.value, 1e-11);
}

TEST(Certificate, WhatANodeWithoutDataMissesIsAbsorbedNearIt) {
  // Two triangles around the points 0 and 10, each with a node without data, joined by one edge that is full.
  const auto point = [](double at) { return QuadraticLoss::points(Matrix{{at}}, 0.5, 0); };
  std::vector<LossPtr> losses;
  for (const double at : {0.0, 0.0}) losses.push_back(point(at));
  losses.push_back(QuadraticLoss::zero(1));
  losses.push_back(QuadraticLoss::zero(1));
  for (const double at : {10.0, 10.0}) losses.push_back(point(at));
  const auto problem = *Problem::make(
      *EmpiricalGraph::make(6, {{0, 1, 1}, {0, 2, 1}, {1, 2, 1}, {2, 3, 1}, {3, 4, 1}, {3, 5, 1}, {4, 5, 1}}),
      std::move(losses), L2Penalty{}, 1);
  const auto best = solve(problem, {.tolerance = 1e-12});
  ASSERT_EQ(best.status, SolveStatus::kSolved);
  Matrix u = best.u;
  const double missed = 1e-3;
  u(0, 1) += missed;
  const auto certified = certify(problem, best.w, u, {.exact = false});
  EXPECT_EQ(certified.certificate.kind, Certificate::Kind::kGap);
  EXPECT_LE(certified.certificate.value, 2 * missed * missed) << "it would be about the miss if it left the triangle";
}

TEST(Certificate, WithoutCouplingIsTheSumOfTheLocalGaps) {
  Rng rng(55);
  const auto problem = random_problem(10, {.model = "point", .lambda = 0, .without_data_every = 0});
  const Matrix w = random_matrix(rng, 3, problem.nodes());
  const auto certified = certify(problem, w, random_matrix(rng, 3, problem.edges()));
  double gaps = 0;
  for (NodeId i = 0; i < problem.nodes(); ++i) gaps += problem.loss(i).value(w.col(i)) - problem.loss(i).lower_bound();
  EXPECT_NEAR(certified.certificate.value, gaps, 1e-12 * gaps);
}

}  // namespace
}  // namespace gtvmin
