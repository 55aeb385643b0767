// Problems whose solution follows by hand. Losses are L(w) = ‖w − a‖², so ∇L = 2(w − a).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gtvmin/solver/solver.h"
#include "testing/random_problems.h"

namespace gtvmin {
namespace {

using ::testing::ElementsAre;

/// One point per column, one node per point.
Problem points_problem(const Matrix& points, std::vector<WeightedEdge> edges, Penalty penalty, double lambda) {
  std::vector<LossPtr> losses;
  for (Index i = 0; i < points.cols(); ++i) losses.push_back(QuadraticLoss::points(points.col(i), 1, 0));
  const auto nodes = static_cast<NodeId>(points.cols());
  return *Problem::make(*EmpiricalGraph::make(nodes, std::move(edges)), std::move(losses), std::move(penalty), lambda);
}

SolveResult solve_tightly(const Problem& problem, double tolerance = 1e-10) {
  auto result = solve(problem, {.tolerance = tolerance});
  EXPECT_EQ(result.status, SolveStatus::kSolved);
  EXPECT_EQ(result.certificate.kind, Certificate::Kind::kGap);
  return result;
}

void expect_parameters(const SolveResult& result, const Matrix& expected, double distance = 1e-9) {
  EXPECT_LE((result.w - expected).cwiseAbs().maxCoeff(), distance) << result.w << "\nexpected\n" << expected;
}

// Two nodes in one dimension, a = 0 and 4, weight 2, κ = 2λ. While apart the flow is −κ, so w₁ = κ/2 and w₂ = 4 − κ/2;
// they meet at κ = 4 in the middle.
TEST(TwoNodes, MoveTowardsEachOtherUntilTheyFuse) {
  for (const std::string name : {"l1", "l2", "linf"}) {
    SCOPED_TRACE(name);
    const Matrix points{{0, 4}};
    const auto apart = solve_tightly(points_problem(points, {{0, 1, 2}}, test_penalty(name, 1), 0.75));
    expect_parameters(apart, Matrix{{0.75, 3.25}});
    EXPECT_NEAR(apart.u(0, 0), -1.5, 1e-9);
    EXPECT_NEAR(apart.objective, 2 * 0.75 * 0.75 + 1.5 * 2.5, 1e-12);
    EXPECT_EQ(apart.clusters.groups, 2);
    const auto fused = solve_tightly(points_problem(points, {{0, 1, 2}}, test_penalty(name, 1), 2.5));
    expect_parameters(fused, Matrix{{2, 2}});
    EXPECT_NEAR(fused.u(0, 0), -4, 1e-9);
    EXPECT_EQ(fused.clusters.groups, 1);
    EXPECT_EQ(fused.w(0, 0), fused.w(0, 1));
  }
}

// Two nodes in two dimensions, a = (0, 0) and b = (3, 4), κ = λ. With v = w₁ − w₂ and the mean (1.5, 2) fixed, the
// losses add up to ½‖v − x‖², x = a − b, so v is the prox of κφ at x and w = mean ± v/2.
TEST(TwoNodes, InThePlaneFollowTheProxOfThePenalty) {
  const Matrix points{{0, 3}, {0, 4}};
  const auto differ_by = [&](Penalty penalty, double lambda, const Vector& v) {
    const Vector mean{{1.5, 2}};
    Matrix expected(2, 2);
    expected << mean + v / 2, mean - v / 2;
    SCOPED_TRACE(penalty_name(penalty));
    const SolveResult result = solve_tightly(points_problem(points, {{0, 1, 1}}, std::move(penalty), lambda), 1e-13);
    expect_parameters(result, expected, 1e-6);
    // F is strongly convex: F(w) ≥ F* + ‖w − w*‖².
    EXPECT_LE((result.w - expected).squaredNorm(), result.certificate.value);
  };
  differ_by(L2Penalty{}, 2, Vector{{-1.8, -2.4}});       // ‖x‖ = 5 shrinks by 2
  differ_by(L2Penalty{}, 5.5, Vector{{0, 0}});           // fused from κ = 5 on
  differ_by(L1Penalty{}, 3.5, Vector{{0, -0.5}});        // each coordinate shrinks by 3.5
  differ_by(LinfPenalty{}, 3, Vector{{-2, -2}});         // x minus its projection (−1, −2) onto ‖·‖₁ ≤ 3
  differ_by(SquaredL2Penalty{}, 1, Vector{{-1.5, -2}});  // x/(1 + κ)
  differ_by(*make_penalty("quadratic", Matrix{{1, 0}, {0, 3}}), 2, Vector{{-1, -4.0 / 7}});  // x_k/(1 + κq_k)
}

// Q = diag(1, 0): only the first coordinate is coupled, −3/(1 + κ). No bound: along the other nothing limits how far
// two neighbours are apart.
TEST(TwoNodes, FollowASingularQuadraticPenaltyWithoutABound) {
  const Problem problem =
      points_problem(Matrix{{0, 3}, {0, 4}}, {{0, 1, 1}}, *make_penalty("quadratic", Matrix{{1, 0}, {0, 0}}), 2);
  const SolveResult result = solve(problem, {.tolerance = 1e-10, .max_iterations = 2000});
  expect_parameters(result, Matrix{{1, 2}, {0, 4}}, 1e-6);
  EXPECT_NE(result.status, SolveStatus::kSolved);
  EXPECT_FALSE(is_bound(result.certificate));
}

// Path with a = 0, 3, 9 and κ = λ on both edges. Apart: the two flows at the middle cancel, w = (κ/2, 3, 9 − κ/2). At κ
// = 6 the first two meet; their pair has mean 1.5 and is pulled by κ against curvature 4: (1.5 + κ/4, ·, 9 − κ/2). At κ
// = 10 all meet in the mean 4.
TEST(PathOfThree, FusesFromOneEndToTheOther) {
  const auto path = [](double lambda) {
    return solve_tightly(points_problem(Matrix{{0, 3, 9}}, {{0, 1, 1}, {1, 2, 1}}, L2Penalty{}, lambda));
  };
  const auto apart = path(2);
  expect_parameters(apart, Matrix{{1, 3, 8}});
  EXPECT_NEAR(apart.objective, 2 + 2 * 7, 1e-11);
  EXPECT_EQ(apart.clusters.groups, 3);
  const auto pair = path(8);
  expect_parameters(pair, Matrix{{3.5, 3.5, 5}});
  EXPECT_THAT(pair.clusters.group_of, ElementsAre(0, 0, 1));
  const auto fused = path(12);
  expect_parameters(fused, Matrix{{4, 4, 4}});
  EXPECT_EQ(fused.clusters.groups, 1);
  EXPECT_NEAR(fused.gtv, 0, 0);
}

// Star: the centre at 0, four leaves at 1. A leaf moves to 1 − κ/2, the centre is pulled by four edges to 2κ; they meet
// at the critical κ = 0.4, in the mean 0.8.
TEST(Star, IsOneClusterFromTheCriticalLambdaOn) {
  const auto star = [](double lambda) {
    return solve_tightly(
        points_problem(Matrix{{0, 1, 1, 1, 1}}, {{0, 1, 1}, {0, 2, 1}, {0, 3, 1}, {0, 4, 1}}, L1Penalty{}, lambda));
  };
  const auto below = star(0.39);
  expect_parameters(below, Matrix{{0.78, 0.805, 0.805, 0.805, 0.805}});
  EXPECT_EQ(below.clusters.groups, 5);  // equal leaves are not joined by edges of their own
  const auto above = star(0.41);
  expect_parameters(above, Matrix::Constant(1, 5, 0.8));
  EXPECT_EQ(above.clusters.groups, 1);
}

// Well-separated groups in the plane with all pairs joined: convex clustering finds them if
// (largest diameter)/(group size) ≤ λ/2 < (least distance of two means)/(2n − sizes of the two), here 0.06 ≤ 0.2 <
// 0.31.
TEST(ConvexClustering, RecoversWellSeparatedPoints) {
  Rng rng(61);
  Matrix points(2, 24);
  std::vector<NodeId> truth;
  const Matrix centres{{0, 10, 0}, {0, 0, 10}};
  for (Index i = 0; i < 24; ++i) {
    points.col(i) = centres.col(i % 3) + random_vector(rng, 2, 0.1);
    truth.push_back(static_cast<NodeId>(i % 3));
  }
  std::vector<WeightedEdge> edges;
  for (NodeId i = 0; i < 24; ++i) {
    for (NodeId j = i + 1; j < 24; ++j) edges.push_back({i, j, 1});
  }
  const auto result = solve_tightly(points_problem(points, std::move(edges), L2Penalty{}, 0.4));
  EXPECT_EQ(result.clusters.group_of, truth);
  for (Index i = 3; i < 24; ++i) EXPECT_EQ(result.w.col(i), result.w.col(i % 3));
}

}  // namespace
}  // namespace gtvmin
