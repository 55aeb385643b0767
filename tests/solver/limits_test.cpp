#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "gtvmin/certify/rounding.h"
#include "gtvmin/solver/solver.h"
#include "gtvmin/solver/termination.h"
#include "testing/random_problems.h"

namespace gtvmin {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(Termination, IsATableOfReasons) {
  const SolverOptions all{.tolerance = 1e-6, .max_iterations = 100, .time_limit = 10, .min_decrease = 1e-4};
  const Progress running{.iteration = 50, .seconds = 5, .objective = 1, .previous_objective = 2, .certified = 1e-3};
  EXPECT_EQ(termination(all, running), std::nullopt);

  auto progress = running;
  progress.certified = 1e-6;
  EXPECT_EQ(termination(all, progress), SolveStatus::kSolved);
  progress.iteration = 100;
  progress.seconds = 10;
  progress.interrupted = true;
  EXPECT_EQ(termination(all, progress), SolveStatus::kSolved) << "a certificate wins over every limit";
  progress.certified = kInfinity;
  EXPECT_EQ(termination(all, progress), SolveStatus::kInterrupted);

  progress.estimated = true;
  EXPECT_EQ(termination(all, progress), SolveStatus::kEstimated) << "nothing more can be proved";

  progress = running;
  progress.iteration = 100;
  EXPECT_EQ(termination(all, progress), SolveStatus::kIterationLimit);
  progress = running;
  progress.seconds = 10;
  EXPECT_EQ(termination(all, progress), SolveStatus::kTimeLimit);
  progress = running;
  progress.previous_objective = 1.00005;
  EXPECT_EQ(termination(all, progress), SolveStatus::kSmallDecrease);
  progress.previous_objective = kNaN;
  EXPECT_EQ(termination(all, progress), std::nullopt) << "at the first check there is nothing to compare with";
}

TEST(Termination, ZeroSwitchesACriterionOff) {
  const SolverOptions none{.tolerance = 0, .max_iterations = 100, .time_limit = 0, .min_decrease = 0};
  EXPECT_EQ(
      termination(none, {.iteration = 99, .seconds = 1e9, .objective = 1, .previous_objective = 1, .certified = 0}),
      std::nullopt);
}

TEST(Termination, IterationsAreALimitOnlyWhereAToleranceIsAskedFor) {
  const Progress at_the_end{.iteration = 100, .objective = 1, .previous_objective = 2, .certified = kInfinity};
  EXPECT_EQ(termination({.tolerance = 1e-6, .max_iterations = 100}, at_the_end), SolveStatus::kIterationLimit);
  EXPECT_EQ(termination({.tolerance = 0, .max_iterations = 100}, at_the_end), SolveStatus::kCompleted);
}

TEST(Limits, IterationsStopTheRun) {
  const auto problem = random_problem(1, {});
  for (const auto method : {Method::kAdaptive, Method::kAlgorithm1}) {
    for (const std::int64_t most : {0, 1, 7, 20, 33}) {
      const auto result = solve(problem, {.method = method, .tolerance = 0, .max_iterations = most});
      EXPECT_EQ(result.status, SolveStatus::kCompleted);
      EXPECT_EQ(result.iterations, most);
      EXPECT_TRUE(std::isfinite(result.certificate.value));
      EXPECT_EQ(result.trace.back().objective, result.objective);
    }
  }
}

TEST(Limits, TheClockOfTheCallerStopsTheRun) {
  const auto problem = random_problem(2, {});
  double now = 1000;
  SolveContext context;
  context.seconds = [&now] { return now += 0.25; };
  const auto result = solve(problem, {.tolerance = 0, .time_limit = 3}, context);
  EXPECT_EQ(result.status, SolveStatus::kTimeLimit);
  EXPECT_GE(result.seconds, 3);
  EXPECT_LE(result.seconds, 4);
  EXPECT_GT(result.iterations, 0);
}

TEST(Limits, ASmallDecreaseStopsTheRun) {
  const auto problem = random_problem(3, {});
  const auto result = solve(problem, {.tolerance = 0, .min_decrease = 1e-5});
  EXPECT_EQ(result.status, SolveStatus::kSmallDecrease);
  ASSERT_GE(result.trace.size(), 3U);
  EXPECT_LT(result.iterations, 100'000);
}

TEST(Limits, TheObserverSeesEveryRecordAndMayStop) {
  const auto problem = random_problem(4, {});
  std::vector<IterationRecord> seen;
  SolveContext context;
  context.observe = [&seen](const IterationRecord& record) {
    seen.push_back(record);
    return seen.size() < 3;
  };
  const auto result = solve(problem, {.tolerance = 0}, context);
  EXPECT_EQ(result.status, SolveStatus::kInterrupted);
  ASSERT_EQ(seen.size(), 3U);
  ASSERT_EQ(result.trace.size(), 4U);  // and the last word
  for (std::size_t k = 0; k < seen.size(); ++k) {
    EXPECT_EQ(seen[k].iteration, result.trace[k].iteration);
    EXPECT_NEAR(seen[k].objective, seen[k].loss + problem.lambda() * seen[k].gtv, 1e-12);
    if (k > 0) {
      EXPECT_GT(seen[k].iteration, seen[k - 1].iteration);
    }
  }
}

TEST(Limits, EveryStatusHasAName) {
  EXPECT_EQ(to_string(SolveStatus::kSolved), "solved");
  EXPECT_EQ(to_string(SolveStatus::kIterationLimit), "iteration-limit");
  EXPECT_EQ(to_string(SolveStatus::kTimeLimit), "time-limit");
  EXPECT_EQ(to_string(SolveStatus::kEstimated), "estimated");
  EXPECT_EQ(to_string(SolveStatus::kCompleted), "completed");
  EXPECT_EQ(to_string(SolveStatus::kSmallDecrease), "small-decrease");
  EXPECT_EQ(to_string(SolveStatus::kInterrupted), "interrupted");
}

}  // namespace
}  // namespace gtvmin
