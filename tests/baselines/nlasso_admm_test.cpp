#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baseline_fixtures.h"
#include "gtvmin/solver/solver.h"

namespace gtvmin {
namespace {

double optimum(const Problem& problem) { return solve(problem, {.tolerance = 1e-10, .threads = 1}).objective; }

TEST(NetworkLassoAdmm, ReachesTheOptimumOfEveryLossAndPenalty) {
  for (const std::string model : {"linear", "logistic", "point"}) {
    for (const std::string penalty : {"l2", "l1", "linf", "squared_l2", "quadratic"}) {
      for (const double lambda : {0.01, 0.3}) {
        SCOPED_TRACE(::testing::Message() << model << ", " << penalty << ", " << lambda);
        const Problem problem = random_problem(5, {.model = model, .penalty = penalty, .lambda = lambda});
        const BaselineResult result =
            run("nlasso-admm", {.problem = problem}, {.rounds = 20000, .tolerance = 1e-10, .admm_penalty = 0.3});
        EXPECT_NEAR(objective(problem, result.w), optimum(problem), 1e-6 * std::abs(optimum(problem)));
        EXPECT_THAT(result.notes, ::testing::IsEmpty());
        EXPECT_EQ(result.rounds, static_cast<std::int64_t>(result.trace.size()));
      }
    }
  }
}

TEST(NetworkLassoAdmm, ReachesTheOptimumOfModelsWithoutAnEasyProx) {
  for (const auto& [model, residual] : {std::pair<std::string, ResidualLoss>{"linear", ResidualLoss::kAbsolute},
                                        {"linear", ResidualLoss::kHuber},
                                        {"softmax", ResidualLoss::kSquared},
                                        {"graphical", ResidualLoss::kSquared}}) {
    SCOPED_TRACE(model);
    const Given given(random_dataset(3, model, 6, 2, 8), {.name = model, .ridge = 0.01, .residual_loss = residual},
                      "l2", 0.05);
    const BaselineResult result =
        run("nlasso-admm", given.input(), {.rounds = 20000, .tolerance = 1e-10, .admm_penalty = 0.3});
    EXPECT_NEAR(objective(given.problem(), result.w), optimum(given.problem()), 1e-6);
  }
}

TEST(NetworkLassoAdmm, LetsNodesWithoutEdgesLearnAlone) {
  std::vector<LossPtr> losses;
  for (const double at : {1.0, 2.0, 7.0}) losses.push_back(QuadraticLoss::points(Matrix::Constant(2, 1, at), 1, 0));
  const Problem problem =
      *Problem::make(*EmpiricalGraph::make(3, {{0, 1, 1}}), std::move(losses), *make_penalty("l2"), 100);
  const BaselineResult result = run("nlasso-admm", {.problem = problem}, {.rounds = 500, .admm_penalty = 1});
  EXPECT_NEAR(result.w(0, 0), 1.5, 1e-7);
  EXPECT_NEAR(result.w(0, 1), 1.5, 1e-7);
  EXPECT_NEAR(result.w(0, 2), 7, 1e-12);
}

TEST(NetworkLassoAdmm, ChoosesItsPenaltyByTheObjectiveAndSaysWhatIsLeftAtTheLimit) {
  const Problem problem = random_problem(6, {});
  const BaselineResult tuned = run("nlasso-admm", {.problem = problem}, {.rounds = 10});
  EXPECT_EQ(tuned.tuned_by, "objective at the end");
  for (const TuningRow& row : tuned.tuning) {
    EXPECT_LE(objective(problem, tuned.w), row.score);
    EXPECT_EQ(row.chosen, row.values.front().second == tuned.options.admm_penalty);
  }
  EXPECT_THAT(tuned.notes, ::testing::ElementsAre(::testing::StartsWith("stopped at round 10 of 10: primal residual")));
}

// Features 1024 times as large with λ divided by it: the same problem in parameters 1024 times as small, curvature and
// ρ 1024² times as large.
TEST(NetworkLassoAdmm, TunesItsPenaltyToTheCurvatureOfTheLosses) {
  const Dataset dataset = random_dataset(52, "linear", 8, 3, 6);
  Dataset large = dataset;
  large.features *= 1024;
  for (const bool mean : {true, false}) {
    const ModelSpec spec{.name = "linear", .mean = mean};
    const Given of_one(dataset, spec, "l2", 0.1);
    const Given of_many(large, spec, "l2", 0.1 * 1024);
    const BaselineResult small = run("nlasso-admm", of_one.input(), {.rounds = 30});
    const BaselineResult scaled = run("nlasso-admm", of_many.input(), {.rounds = 30});
    EXPECT_NEAR(scaled.options.admm_penalty, 1024 * 1024 * small.options.admm_penalty,
                1e-6 * scaled.options.admm_penalty);
    EXPECT_LT((1024 * scaled.w - small.w).norm(), 1e-6 * small.w.norm());
  }
}

TEST(NetworkLassoAdmm, GivesTheSameBitsForEveryNumberOfThreads) {
  const Problem problem = random_problem(7, {.model = "logistic", .nodes = 60, .extra_edges = 100});
  const auto with = [&](int threads) {
    return run("nlasso-admm", {.problem = problem}, {.rounds = 30, .admm_penalty = 0.1, .threads = threads});
  };
  const BaselineResult one = with(1);
  for (const int threads : {2, 3}) {
    const BaselineResult many = with(threads);
    EXPECT_TRUE(many.w == one.w);
    EXPECT_EQ(many.trace.back().objective, one.trace.back().objective);
  }
}

}  // namespace
}  // namespace gtvmin
