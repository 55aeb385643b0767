// What holds for every federated baseline.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "federation.h"

namespace gtvmin {
namespace {

using ::testing::HasSubstr;

class FederatedBaseline : public ::testing::TestWithParam<const char*> {};

/// Nodes with few, many and no samples.
Federation uneven(const ModelSpec& spec) {
  const SyntheticData data = two_clusters(0.8, 2, 9);
  return {data.dataset, spec, data.clusters};
}

TEST_P(FederatedBaseline, GivesTheSameBitsForEveryNumberOfThreads) {
  const Federation federation = uneven({.name = "linear", .mean = false, .ridge = 0.1});
  BaselineOptions options{.rounds = 10,
                          .batch_size = 3,
                          .learning_rate = 0.01,
                          .participation = 0.4,
                          .restarts = 2,
                          .proximity = 0.5,
                          .threads = 1};
  const Matrix one = federation.run(GetParam(), options).w;
  options.threads = 3;
  EXPECT_EQ(federation.run(GetParam(), options).w, one);
  options.seed = 2;
  EXPECT_NE(federation.run(GetParam(), options).w, one);
}

TEST_P(FederatedBaseline, RecordsWhatItTunedAndTakesTheBest) {
  const Federation federation = uneven({.name = "linear"});
  const BaselineResult result = federation.run(GetParam(), {.rounds = 20, .restarts = 2});
  ASSERT_GE(result.tuning.size(), 5U);
  EXPECT_LE(result.tuning.size(), 15U);
  EXPECT_THAT(result.tuned_by, HasSubstr("held-out"));
  double least = INFINITY;
  for (const TuningRow& row : result.tuning) least = std::min(least, row.score);
  for (const TuningRow& row : result.tuning) {
    if (!row.chosen) continue;
    EXPECT_EQ(row.score, least);
    EXPECT_EQ(row.values[0].first, "learning-rate");
    EXPECT_EQ(row.values[0].second, result.options.learning_rate);
  }
}

TEST_P(FederatedBaseline, TunesStepsToTheScaleOfTheData) {
  const SyntheticData data = two_clusters(0.8, 6, 9);
  Dataset large = data.dataset;
  large.features *= 1024;
  large.labels *= 1024;
  const ModelSpec spec{.name = "linear"};
  const BaselineOptions options{.rounds = 10, .restarts = 1};
  const BaselineResult small = Federation(data.dataset, spec, data.clusters).run(GetParam(), options);
  const BaselineResult scaled = Federation(large, spec, data.clusters).run(GetParam(), options);
  EXPECT_NEAR(scaled.options.learning_rate * 1024 * 1024, small.options.learning_rate,
              1e-9 * small.options.learning_rate);
  EXPECT_LT((scaled.w - small.w).norm(), 1e-6 * small.w.norm());
}

TEST_P(FederatedBaseline, LowersTheLossOfEveryKindOfModel) {
  const SyntheticData data = two_clusters(0.8, 4, 9);
  Dataset signs = data.dataset;
  for (double& label : signs.labels) label = label > 0 ? 1 : -1;
  Dataset counts = data.dataset;
  for (double& label : counts.labels) label = std::round(std::abs(label));
  Dataset classes = data.dataset;
  classes.class_names = {"a", "b", "c"};
  for (double& label : classes.labels) label = label > 1 ? 2 : label > 0 ? 1 : 0;
  Dataset points = data.dataset;
  points.features.array() += 1;
  const std::vector<std::pair<Dataset, ModelSpec>> cases = {
      {data.dataset, {.name = "linear", .intercept = true, .residual_loss = ResidualLoss::kAbsolute}},
      {data.dataset, {.name = "linear", .mean = false, .residual_loss = ResidualLoss::kHuber}},
      {signs, {.name = "logistic", .ridge = 0.01}},
      {counts, {.name = "poisson", .ridge = 0.01}},
      {classes, {.name = "softmax", .mean = false}},
      {points, {.name = "point"}},
      {points, {.name = "gaussian-mean"}}};
  for (const auto& [dataset, spec] : cases) {
    const Federation federation(dataset, spec, data.clusters);
    const BaselineResult result = federation.run(GetParam(), {.rounds = 30, .restarts = 2});
    EXPECT_TRUE(result.w.allFinite()) << spec.name;
    EXPECT_LT(total_loss(federation.problem(), result.w),
              0.99 * total_loss(federation.problem(), start_point(federation.problem())))
        << spec.name;
  }
}

TEST_P(FederatedBaseline, RefusesByNameWhatItCannotServe) {
  BaselineOptions options{.learning_rate = 0.1, .proximity = 1};
  const auto with_option = [&](auto BaselineOptions::*member, auto value) {
    BaselineOptions wrong = options;
    wrong.*member = value;
    return uneven({.name = "linear"}).refusal(GetParam(), wrong);
  };
  EXPECT_THAT(with_option(&BaselineOptions::rounds, 0), HasSubstr("rounds = 0"));
  EXPECT_THAT(with_option(&BaselineOptions::local_epochs, 0), HasSubstr("local-epochs = 0"));
  EXPECT_THAT(with_option(&BaselineOptions::batch_size, -1), HasSubstr("batch-size = -1"));
  EXPECT_THAT(with_option(&BaselineOptions::learning_rate, -0.5), HasSubstr("learning-rate = -0.5"));
  EXPECT_THAT(with_option(&BaselineOptions::participation, 1.5), HasSubstr("participation = 1.5"));
  EXPECT_THAT(with_option(&BaselineOptions::proximity, -1), HasSubstr("proximity = -1"));
  EXPECT_THAT(uneven({.name = "linear", .couple = {"x1*"}}).refusal(GetParam(), options), HasSubstr("private"));
  EXPECT_THAT(uneven({.name = "graphical"}).refusal(GetParam(), options), HasSubstr("graphical"));

  const Federation federation = uneven({.name = "linear"});
  BaselineInput losses_only = federation.input();
  losses_only.dataset = nullptr;
  losses_only.model = nullptr;
  const Baseline& method = *find_baseline(GetParam());
  options.batch_size = 3;
  EXPECT_THAT(run_baseline(method, losses_only, options).error().messages.front(), HasSubstr("batch-size = 3"));
  options.batch_size = 0;
  EXPECT_TRUE(run_baseline(method, losses_only, options).ok());
  options.learning_rate = 0;
  EXPECT_THAT(run_baseline(method, losses_only, options).error().messages.front(), HasSubstr("learning-rate"));
}

TEST_P(FederatedBaseline, LeavesEveryNodeAtTheStartIfNobodyHasSamples) {
  const Federation federation({one_dimensional({{}, {}, {}})}, {.name = "linear"},
                              {.group_of = {0, 0, 1}, .groups = 2});
  const BaselineResult result = federation.run(GetParam(), {.rounds = 3, .learning_rate = 0.1, .proximity = 1});
  EXPECT_EQ(result.w, Matrix::Zero(1, 3));
}

INSTANTIATE_TEST_SUITE_P(All, FederatedBaseline,
                         ::testing::Values("fedavg", "fedavg-per-cluster", "dfedavgm", "ifca", "pfedme", "ditto"),
                         [](const auto& name) {
                           std::string letters = name.param;
                           std::erase(letters, '-');
                           return letters;
                         });

}  // namespace
}  // namespace gtvmin
