#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "../../src/baselines/methods.h"
#include "../../src/baselines/tuning.h"
#include "baseline_fixtures.h"

namespace gtvmin {
namespace {

TEST(HoldOut, TakesTheShareOfEveryNodeButNeverItsLastSample) {
  Dataset dataset = random_dataset(31, "linear", 6, 2, 10);
  dataset.first_sample = {0, 0, 1, 3, 8, 18, 18};  // 0, 1, 2, 5, 10, 0 samples
  dataset.features.conservativeResize(Eigen::NoChange, 18);
  dataset.labels.conservativeResize(18);
  const auto held = [&](double share) {
    const HeldOutSplit split = hold_out(dataset, share, 1);
    std::vector<Index> counts;
    for (NodeId i = 0; i < 6; ++i) {
      counts.push_back(split.held_out.samples_of(i));
      EXPECT_EQ(split.training.samples_of(i) + counts.back(), dataset.samples_of(i));
    }
    return counts;
  };
  EXPECT_THAT(held(0.2), ::testing::ElementsAre(0, 0, 0, 1, 2, 0));
  EXPECT_THAT(held(0.5), ::testing::ElementsAre(0, 0, 1, 3, 5, 0));
  EXPECT_THAT(held(1), ::testing::ElementsAre(0, 0, 1, 4, 9, 0));
  EXPECT_THAT(held(0), ::testing::Each(0));
}

TEST(HoldOut, PutsEverySampleWithItsLabelInOneOfTheParts) {
  Dataset dataset = random_dataset(32, "linear", 5, 1, 9);
  for (Index r = 0; r < dataset.samples(); ++r) {
    dataset.features(0, r) = static_cast<double>(r);
    dataset.labels[r] = static_cast<double>(100 + r);
  }
  const HeldOutSplit split = hold_out(dataset, 0.4, 7);
  std::multiset<double> seen;
  for (const Dataset* part : {&split.training, &split.held_out}) {
    for (NodeId i = 0; i < part->nodes(); ++i) {
      for (Index r = part->first_sample[i]; r < part->first_sample[i + 1]; ++r) {
        seen.insert(part->features(0, r));
        EXPECT_EQ(part->labels[r], 100 + part->features(0, r));
        EXPECT_GE(part->features(0, r), static_cast<double>(dataset.first_sample[i]));
        EXPECT_LT(part->features(0, r), static_cast<double>(dataset.first_sample[i + 1]));
      }
    }
    EXPECT_EQ(part->edges.size(), dataset.edges.size());
  }
  EXPECT_EQ(static_cast<Index>(std::set<double>(seen.begin(), seen.end()).size()), dataset.samples());
  EXPECT_EQ(static_cast<Index>(seen.size()), dataset.samples());
}

TEST(HoldOut, DependsOnTheSeedAlone) {
  const Dataset dataset = random_dataset(33, "linear", 5, 2, 20);
  EXPECT_EQ(hold_out(dataset, 0.3, 7).held_out.features, hold_out(dataset, 0.3, 7).held_out.features);
  EXPECT_NE(hold_out(dataset, 0.3, 7).held_out.features, hold_out(dataset, 0.3, 8).held_out.features);
}

/// Everybody has w = learning rate in every coordinate, and so ∞ for 99 and NaN for 98.
BaselineResult run_constant(const BaselineInput& input, const BaselineOptions& options,
                            const BaselineContext& /*context*/) {
  double value = options.learning_rate;
  if (value == 99) value = HUGE_VAL;
  if (value == 98) value = NAN;
  BaselineResult result;
  result.w = Matrix::Constant(input.problem.dimension(), input.problem.nodes(), value);
  result.options = options;
  return result;
}

std::vector<Tunable> constant_tunables(const BaselineInput& /*input*/, const BaselineOptions& options) {
  if (options.learning_rate != 0) return {};
  return {{"learning-rate", &BaselineOptions::learning_rate, {99, 98, 5, 1.5, -3}}};
}

Baseline constant_baseline(TuneBy by) {
  return {.name = "constant",
          .help = "",
          .options = {},
          .tune_by = by,
          .refusal = serves_all,
          .tunables = constant_tunables,
          .run = run_constant};
}

// y = 2x without noise, so that the loss of held-out samples is least for the value nearest to 2.
Given line() {
  Dataset dataset = random_dataset(34, "linear", 5, 1, 10);
  dataset.labels = 2 * dataset.features.row(0);
  return {std::move(dataset), {.name = "linear"}, "l2", 0.1};
}

TEST(Tuning, ChoosesTheLeastScoreAndNeverARunWithoutBounds) {
  const Given given = line();
  for (const TuneBy by : {TuneBy::kHeldOutLoss, TuneBy::kObjective}) {
    const auto result = run_baseline(constant_baseline(by), given.input(), {});
    ASSERT_TRUE(result);
    ASSERT_EQ(result->tuning.size(), 5U);
    EXPECT_EQ(result->options.learning_rate, 1.5);
    for (const TuningRow& row : result->tuning) {
      const double value = row.values.front().second;
      EXPECT_EQ(row.values.front().first, "learning-rate");
      EXPECT_EQ(row.chosen, value == 1.5);
      EXPECT_EQ(std::isinf(row.score), value > 90);
      EXPECT_GE(row.score, result->tuning[3].score);
    }
    EXPECT_THAT(result->tuned_by, ::testing::HasSubstr(by == TuneBy::kObjective ? "objective" : "held-out"));
  }
}

TEST(Tuning, TriesNothingWhereNothingIsOpen) {
  const Given given = line();
  const auto result = run_baseline(constant_baseline(TuneBy::kHeldOutLoss), given.input(), {.learning_rate = 5});
  EXPECT_TRUE(result->tuning.empty());
  EXPECT_EQ(result->options.learning_rate, 5);
}

TEST(Tuning, NeedsSamplesToHoldOut) {
  const Given given = line();
  EXPECT_FALSE(run_baseline(constant_baseline(TuneBy::kHeldOutLoss), {.problem = given.problem()}, {}));
  EXPECT_TRUE(run_baseline(constant_baseline(TuneBy::kObjective), {.problem = given.problem()}, {}));
  EXPECT_FALSE(run_baseline(constant_baseline(TuneBy::kHeldOutLoss), given.input(), {.validation_share = 0}));
}

TEST(Tuning, TriesEveryCombination) {
  const Given given = line();
  Baseline baseline = constant_baseline(TuneBy::kObjective);
  baseline.tunables = [](const BaselineInput& /*input*/, const BaselineOptions& /*options*/) -> std::vector<Tunable> {
    return {{"learning-rate", &BaselineOptions::learning_rate, {1, 2, 3}},
            {"momentum", &BaselineOptions::momentum, {0.1, 0.2}}};
  };
  const auto result = run_baseline(baseline, given.input(), {});
  EXPECT_EQ(result->options.momentum, 0.1) << "the first of equals";
  std::set<std::pair<double, double>> tried;
  for (const TuningRow& row : result->tuning) tried.emplace(row.values[0].second, row.values[1].second);
  EXPECT_EQ(tried.size(), 6U);
  EXPECT_EQ(result->options.learning_rate, 2);
}

TEST(Tuning, LeavesOutWhatTheMethodRefusesAndFailsIfThatIsAll) {
  const Given given = line();
  Baseline baseline = constant_baseline(TuneBy::kHeldOutLoss);
  baseline.refusal = [](const BaselineInput& /*input*/, const BaselineOptions& options) -> std::string {
    return options.learning_rate == 1.5 ? "learning-rate = 1.5 is odd" : "";
  };
  const auto result = run_baseline(baseline, given.input(), {});
  EXPECT_EQ(result->tuning.size(), 4U);
  EXPECT_EQ(result->options.learning_rate, 5);
  baseline.refusal = [](const BaselineInput& /*input*/, const BaselineOptions& options) -> std::string {
    return options.learning_rate != 0 ? "nothing suits" : "";
  };
  EXPECT_THAT(run_baseline(baseline, given.input(), {}).error().messages,
              ::testing::ElementsAre("constant: nothing suits"));
}

// The best of all is 2.
TEST(Tuning, SaysWhenABetterValueMayLieBeyondTheGrid) {
  using ::testing::HasSubstr;
  const Given given = line();
  const auto notes_with = [&](std::vector<Tunable> (*tunables)(const BaselineInput&, const BaselineOptions&)) {
    Baseline baseline = constant_baseline(TuneBy::kHeldOutLoss);
    baseline.tunables = tunables;
    return run_baseline(baseline, given.input(), {})->notes;
  };
  using Grid = std::vector<Tunable>;
  EXPECT_THAT(notes_with([](const auto&, const auto&) -> Grid {
                return {{"learning-rate", &BaselineOptions::learning_rate, {1.5, 0.5, 1}}};
              }),
              ::testing::ElementsAre(HasSubstr("learning-rate, 1.5, is the largest value tried")));
  EXPECT_THAT(notes_with([](const auto&, const auto&) -> Grid {
                return {{"momentum", &BaselineOptions::momentum, {0, 1}},
                        {"learning-rate", &BaselineOptions::learning_rate, {2.5, 3}}};
              }),
              ::testing::ElementsAre(HasSubstr("learning-rate, 2.5, is the smallest value tried")))
      << "momentum makes no difference";
  EXPECT_THAT(notes_with([](const auto&, const auto&) -> Grid {
                return {{"learning-rate", &BaselineOptions::learning_rate, {1, 2.1, 3}}};
              }),
              ::testing::IsEmpty());
}

TEST(Tuning, DoesNotAskForValuesThatAreRefused) {
  const Given given = line();
  Baseline baseline = constant_baseline(TuneBy::kHeldOutLoss);
  baseline.tunables = [](const BaselineInput& /*input*/, const BaselineOptions& options) -> std::vector<Tunable> {
    if (options.learning_rate != 0) return {};
    return {{"learning-rate", &BaselineOptions::learning_rate, {0.5, 1, 1.5}}};
  };
  EXPECT_EQ(run_baseline(baseline, given.input(), {})->notes.size(), 1U);
  baseline.refusal = [](const BaselineInput& /*input*/, const BaselineOptions& options) -> std::string {
    return options.learning_rate > 1.5 ? "too much" : "";
  };
  EXPECT_THAT(run_baseline(baseline, given.input(), {})->notes, ::testing::IsEmpty());
}

TEST(Tuning, DoesNotCallARunAwayFinished) {
  const Given given = line();
  const auto run_at = [&](double value) {
    return *run_baseline(constant_baseline(TuneBy::kHeldOutLoss), given.input(), {.learning_rate = value});
  };
  for (const double runaway : {98.0, 99.0, 1e5}) {
    EXPECT_TRUE(run_at(runaway).diverged) << runaway;
    EXPECT_THAT(run_at(runaway).notes, ::testing::ElementsAre(::testing::HasSubstr("diverged")));
  }
  EXPECT_FALSE(run_at(50).diverged);
  EXPECT_THAT(run_at(50).notes, ::testing::ElementsAre(::testing::HasSubstr("at the start")))
      << "worse than the start, but not out of bounds";
  EXPECT_THAT(run_at(1).notes, ::testing::IsEmpty());
}

}  // namespace
}  // namespace gtvmin
