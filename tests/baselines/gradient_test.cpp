#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "baseline_fixtures.h"
#include "gtvmin/solver/solver.h"

namespace gtvmin {
namespace {

BaselineOptions lbfgs_options() { return {.rounds = 3000, .tolerance = 0, .optimizer = WholeOptimizer::kLbfgs}; }

TEST(Gradient, ReachesTheOptimumOfSmoothObjectivesByLbfgs) {
  for (const std::string model : {"linear", "logistic", "point"}) {
    for (const std::string penalty : {"squared_l2", "quadratic"}) {
      SCOPED_TRACE(::testing::Message() << model << ", " << penalty);
      const Problem problem = random_problem(5, {.model = model, .penalty = penalty});
      const double least = solve(problem, {.tolerance = 1e-10, .threads = 1}).objective;
      const BaselineResult result = run("gradient", {.problem = problem}, lbfgs_options());
      EXPECT_NEAR(objective(problem, result.w), least, 1e-8 * std::abs(least));
    }
  }
}

// With kinks it stops near the optimum, not at it: this is what the method is worth, and a bound on how bad it may be.
TEST(Gradient, ComesNearTheOptimumOfNormPenalties) {
  for (const auto optimizer : {WholeOptimizer::kLbfgs, WholeOptimizer::kAdam}) {
    for (const std::string penalty : {"l2", "l1", "linf"}) {
      SCOPED_TRACE(::testing::Message() << penalty << ", " << static_cast<int>(optimizer));
      const Problem problem = random_problem(5, {.model = "point", .penalty = penalty});
      const double least = solve(problem, {.tolerance = 1e-10, .threads = 1}).objective;
      const BaselineResult result =
          run("gradient", {.problem = problem}, {.rounds = 3000, .tolerance = 0, .optimizer = optimizer});
      EXPECT_GE(objective(problem, result.w), least * (1 - 1e-9));
      EXPECT_LE(objective(problem, result.w), least * 1.02);
    }
  }
}

TEST(Gradient, NeverEndsWorseThanAnyRoundBefore) {
  const Problem problem = random_problem(9, {});
  for (const auto optimizer : {WholeOptimizer::kLbfgs, WholeOptimizer::kAdam}) {
    const double rate = optimizer == WholeOptimizer::kAdam ? 0.3 : 0;
    const BaselineResult result =
        run("gradient", {.problem = problem}, {.rounds = 100, .learning_rate = rate, .optimizer = optimizer});
    for (std::size_t k = 1; k < result.trace.size(); ++k) {
      EXPECT_LE(result.trace[k].objective, result.trace[k - 1].objective);
    }
    EXPECT_EQ(result.trace.back().objective, objective(problem, result.w));
  }
}

TEST(Gradient, TunesTheLearningRateOfAdamAndNothingOfLbfgs) {
  const Problem problem = random_problem(9, {});
  const BaselineResult adam = run("gradient", {.problem = problem}, {.rounds = 50});
  EXPECT_EQ(adam.tuning.size(), 9U);
  EXPECT_GT(adam.options.learning_rate, 0);
  EXPECT_TRUE(run("gradient", {.problem = problem}, lbfgs_options()).tuning.empty());
}

TEST(Gradient, RefusesALearningRateThatLbfgsWouldNotUse) {
  const Problem problem = random_problem(9, {});
  BaselineOptions options = lbfgs_options();
  options.learning_rate = 0.1;
  const auto result = run_baseline(*find_baseline("gradient"), {.problem = problem}, options);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().messages, ::testing::ElementsAre(::testing::HasSubstr("learning-rate = 0.1")));
}

// With labels and λ 1024 times as large all parameters are, and the objective is 1024² times itself.
TEST(Gradient, TunesTheLearningRateToTheSizeOfTheParameters) {
  const Dataset dataset = random_dataset(51, "linear", 8, 3, 6);
  Dataset large = dataset;
  large.labels *= 1024;
  const BaselineResult small = run("gradient", Given(dataset, {.name = "linear"}, "l2", 0.1).input(), {.rounds = 50});
  const Given given(large, {.name = "linear"}, "l2", 0.1 * 1024);
  const BaselineResult scaled = run("gradient", given.input(), {.rounds = 50});
  EXPECT_NEAR(scaled.options.learning_rate, 1024 * small.options.learning_rate, 1e-6 * scaled.options.learning_rate);
  EXPECT_LT((scaled.w - 1024 * small.w).norm(), 1e-3 * scaled.w.norm());
}

/// (‖w‖² − 1)², which is not convex.
class DoubleWell final : public LocalLoss {
 public:
  [[nodiscard]] Index dimension() const override { return 2; }
  [[nodiscard]] bool is_convex() const override { return false; }
  [[nodiscard]] double value(ConstVectorRef w) const override { return std::pow(w.squaredNorm() - 1, 2); }
  void gradient(ConstVectorRef w, VectorRef g) const override { g = 4 * (w.squaredNorm() - 1) * w; }
  void start(VectorRef w) const override { w = Vector{{0.3, 0.1}}; }
  void prox(ConstVectorRef v, double /*rho*/, double /*tolerance*/, VectorRef z, VectorRef /*scratch*/) const override {
    z = v;
  }
};

TEST(Gradient, ServesLossesThatAreNotConvex) {
  std::vector<LossPtr> losses;
  losses.reserve(3);
  for (int i = 0; i < 3; ++i) losses.push_back(std::make_unique<DoubleWell>());
  const Problem problem =
      *Problem::make(*EmpiricalGraph::make(3, {{0, 1, 1}, {1, 2, 1}}), std::move(losses), *make_penalty("l2"), 0.1);
  for (const auto optimizer : {WholeOptimizer::kLbfgs, WholeOptimizer::kAdam}) {
    const BaselineResult result = run("gradient", {.problem = problem}, {.rounds = 500, .optimizer = optimizer});
    EXPECT_LE(objective(problem, result.w), 1e-6);
  }
}

TEST(Gradient, StaysInTheDomainOfTheLoss) {
  const Given given(random_dataset(4, "graphical", 5, 2, 9), {.name = "graphical"}, "squared_l2", 0.1);
  const double least = solve(given.problem(), {.tolerance = 1e-9, .threads = 1}).objective;
  EXPECT_NEAR(objective(given.problem(), run("gradient", given.input(), lbfgs_options()).w), least, 1e-6);
  const BaselineResult wild = run("gradient", given.input(), {.learning_rate = 30});
  EXPECT_TRUE(std::isfinite(objective(given.problem(), wild.w)));
  EXPECT_THAT(wild.notes, ::testing::ElementsAre(::testing::StartsWith("Adam left the domain")));
}

TEST(Gradient, GivesTheSameBitsForEveryNumberOfThreads) {
  const Problem problem = random_problem(7, {.model = "logistic", .nodes = 60, .extra_edges = 100});
  for (const auto optimizer : {WholeOptimizer::kLbfgs, WholeOptimizer::kAdam}) {
    const double rate = optimizer == WholeOptimizer::kAdam ? 0.01 : 0;
    BaselineOptions options{.rounds = 30, .learning_rate = rate, .optimizer = optimizer, .threads = 1};
    const Matrix one = run("gradient", {.problem = problem}, options).w;
    for (const int threads : {2, 3}) {
      options.threads = threads;
      EXPECT_TRUE(run("gradient", {.problem = problem}, options).w == one);
    }
  }
}

}  // namespace
}  // namespace gtvmin
