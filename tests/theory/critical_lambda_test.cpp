#include "gtvmin/theory/critical_lambda.h"

#include <gtest/gtest.h>

#include "gtvmin/loss/absolute_loss.h"
#include "gtvmin/loss/borrowed_loss.h"
#include "gtvmin/solver/solver.h"
#include "testing/random_problems.h"

namespace gtvmin {
namespace {

/// The same losses on the same graph with another λ.
Problem with_lambda(const Problem& problem, double lambda) {
  std::vector<LossPtr> losses;
  for (NodeId i = 0; i < problem.nodes(); ++i) losses.push_back(borrowed_loss(problem.loss(i)));
  return *Problem::make(problem.graph(), std::move(losses), *make_penalty(penalty_name(problem.penalty())), lambda);
}

NodeId clusters_at(const Problem& problem, double lambda) {
  const SolveResult result = solve(with_lambda(problem, lambda), {.tolerance = 1e-10, .threads = 1});
  EXPECT_EQ(result.status, SolveStatus::kSolved);
  return result.clusters.groups;
}

// Losses ‖w − a‖² at a = 0, 1, 5 on a path with weights 1 and 2: the mean is 2, c = −∇L = 2(a − 2) = (−4, −2, 6). The
// first edge carries 4, the second 6: critical λ = max(4/1, 6/2) = 4.
TEST(CriticalLambda, OfAPathFollowsByHand) {
  std::vector<LossPtr> losses;
  for (const double a : {0.0, 1.0, 5.0}) losses.push_back(QuadraticLoss::points(Matrix::Constant(1, 1, a), 1, 0));
  const Problem problem =
      *Problem::make(*EmpiricalGraph::make(3, {{0, 1, 1}, {1, 2, 2}}), std::move(losses), *make_penalty("l2"), 1);
  const auto found = *critical_lambda(problem);
  ASSERT_EQ(found.size(), 1);
  EXPECT_TRUE(found[0].exact);
  EXPECT_NEAR(found[0].low, 4, 1e-12);
  EXPECT_EQ(found[0].low, found[0].high);
}

// In one dimension the critical λ is the largest |c(A)|/cut(A) over sets A.
TEST(CriticalLambda, OfOneParameterIsTheWorstCut) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    const Problem problem = random_problem(seed, {.model = "point", .nodes = 9, .extra_edges = 12, .dimension = 1});
    double worst = 0;
    Vector mean = Vector::Zero(1);
    double with_data = 0;
    const Matrix zero = Matrix::Zero(1, 9);
    const Matrix slopes = loss_gradients(problem, zero);
    for (NodeId i = 0; i < 9; ++i) {
      mean[0] -= slopes(0, i) / 2;
      with_data += problem.loss(i).is_trivial() ? 0 : 1;
    }
    const Matrix c = -loss_gradients(problem, Matrix::Constant(1, 9, mean[0] / with_data));
    for (unsigned set = 1; set < (1U << 9) - 1; ++set) {
      double inside = 0;
      double cut = 0;
      for (NodeId i = 0; i < 9; ++i) inside += ((set >> i) & 1U) != 0 ? c(0, i) : 0;
      for (EdgeId e = 0; e < problem.edges(); ++e) {
        const bool leaves = ((set >> problem.graph().head(e)) & 1U) != ((set >> problem.graph().tail(e)) & 1U);
        cut += leaves ? problem.graph().weight(e) : 0;
      }
      worst = std::max(worst, std::abs(inside) / cut);
    }
    const auto found = *critical_lambda(problem);
    ASSERT_EQ(found.size(), 1);
    EXPECT_LE(found[0].low, worst * (1 + 1e-9));
    EXPECT_GE(found[0].high, worst * (1 - 1e-9));
    EXPECT_LE(found[0].high, 1.001 * found[0].low);
  }
}

TEST(CriticalLambda, SeparatesOneClusterFromSeveral) {
  for (const std::string model : {"linear", "logistic"}) {
    for (const std::string penalty : {"l2", "l1", "linf"}) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        SCOPED_TRACE(model + " " + penalty + " " + std::to_string(seed));
        const Problem problem =
            random_problem(seed, {.model = model, .penalty = penalty, .nodes = 14, .extra_edges = 14, .dimension = 2});
        const auto found = *critical_lambda(problem);
        ASSERT_EQ(found.size(), 1);
        EXPECT_GT(found[0].low, 0);
        EXPECT_LE(found[0].high, 1.001 * found[0].low);
        EXPECT_GE(clusters_at(problem, 0.999 * found[0].low), 2);
        EXPECT_EQ(clusters_at(problem, 1.001 * found[0].high), 1);
      }
    }
  }
}

TEST(CriticalLambda, OfAForestIsExactPerComponent) {
  const Problem linked = random_problem(7, {.nodes = 10, .extra_edges = 0, .dimension = 3});
  std::vector<LossPtr> losses;
  std::vector<WeightedEdge> edges;
  for (NodeId copy = 0; copy < 2; ++copy) {
    for (NodeId i = 0; i < 10; ++i) losses.push_back(borrowed_loss(linked.loss(i)));
    for (EdgeId e = 0; e < linked.edges(); ++e) {
      edges.push_back({linked.graph().head(e) + 10 * copy, linked.graph().tail(e) + 10 * copy,
                       linked.graph().weight(e) * (copy == 0 ? 1.0 : 4.0)});
    }
  }
  losses.push_back(QuadraticLoss::zero(3));
  const Problem problem =
      *Problem::make(*EmpiricalGraph::make(21, std::move(edges)), std::move(losses), *make_penalty("l2"), 1);
  const auto found = *critical_lambda(problem);
  ASSERT_EQ(found.size(), 3);
  EXPECT_TRUE(found[0].exact && found[1].exact && found[2].exact);
  EXPECT_EQ(found[0].low, found[0].high);
  // Four times the weights need a quarter of λ.
  EXPECT_NEAR(found[1].low, found[0].low / 4, 1e-12 * found[0].low);
  EXPECT_EQ(found[2].high, 0);
  EXPECT_GE(clusters_at(linked, 0.999 * found[0].low), 2);
  EXPECT_EQ(clusters_at(linked, 1.001 * found[0].high), 1);
}

TEST(CriticalLambda, IsRefusedWhereItHasNoMeaning) {
  const auto squared = critical_lambda(random_problem(1, {.penalty = "squared_l2"}));
  ASSERT_FALSE(squared);
  EXPECT_NE(squared.error().messages.front().find("squared_l2"), std::string::npos);
  std::vector<LossPtr> losses;
  for (int i = 0; i < 2; ++i) {
    losses.push_back(AbsoluteLoss::make(Matrix::Ones(1, 1), Vector::Ones(1), 1, Vector::Zero(1)));
  }
  const Problem kinks =
      *Problem::make(*EmpiricalGraph::make(2, {{0, 1, 1}}), std::move(losses), *make_penalty("l2"), 1);
  const auto refused = critical_lambda(kinks);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().messages.front().find("not differentiable"), std::string::npos);
  // One positive label per node: the common loss falls for ever.
  std::vector<LossPtr> separable;
  for (int i = 0; i < 2; ++i) {
    separable.push_back(LogisticLoss::make(Matrix::Ones(1, 1), Vector::Ones(1), 1, Vector::Zero(1)));
  }
  const Problem unbounded =
      *Problem::make(*EmpiricalGraph::make(2, {{0, 1, 1}}), std::move(separable), *make_penalty("l2"), 1);
  const auto none = critical_lambda(unbounded);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().messages.front().find("no common minimiser"), std::string::npos);
}

}  // namespace
}  // namespace gtvmin
