#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baseline_fixtures.h"

namespace gtvmin {
namespace {

// Two nodes with L_i = (w − a_i)², A = 1, φ = ½(·)²: 2(w_1 − a_1) + λ(w_1 − w_2) = 0 and its mirror. The sum says
// w_1 + w_2 = a_1 + a_2, the difference (2 + 2λ)(w_1 − w_2) = 2(a_1 − a_2). With a = (0, 4), λ = 1: w = (1, 3).
TEST(Mocha, SolvesTwoNodesByHand) {
  std::vector<LossPtr> losses;
  for (const double at : {0.0, 4.0}) losses.push_back(QuadraticLoss::points(Matrix::Constant(1, 1, at), 1, 0));
  const Problem problem =
      *Problem::make(*EmpiricalGraph::make(2, {{0, 1, 1}}), std::move(losses), *make_penalty("l2"), 1);
  const BaselineResult result = run("mocha", {.problem = problem});
  EXPECT_NEAR(result.w(0, 0), 1, 1e-7);
  EXPECT_NEAR(result.w(0, 1), 3, 1e-7);
}

TEST(Mocha, IsOptimalForTheSquaredPenaltyWhateverThePenaltyOfTheProblem) {
  for (const std::string model : {"linear", "logistic", "point"}) {
    SCOPED_TRACE(model);
    const Problem given = random_problem(8, {.model = model, .penalty = "linf"});
    const BaselineResult result = run("mocha", {.problem = given});
    // Of a smooth objective the gradient is 0: ∇L_i(w_i) + Σ_j λA_ij (w_i − w_j).
    const Problem squared = random_problem(8, {.model = model, .penalty = "squared_l2"});
    Matrix flow = apply_incidence(squared.graph(), result.w);
    for (EdgeId e = 0; e < squared.edges(); ++e) flow.col(e) *= squared.kappa(e);
    EXPECT_LE(node_residuals(squared, result.w, flow).norm(), 1e-4 * loss_gradients(squared, 0 * result.w).norm());
    EXPECT_NEAR(result.trace.back().objective, objective(given, result.w), 1e-12);
    ASSERT_EQ(result.notes.size(), 1U);
    EXPECT_THAT(result.notes.front(), ::testing::Not(::testing::HasSubstr("limit")));
  }
}

}  // namespace
}  // namespace gtvmin
