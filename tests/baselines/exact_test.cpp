#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "baseline_fixtures.h"
#include "gtvmin/solver/solver.h"

namespace gtvmin {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct ModelCase {
  const char* name;
  ModelSpec spec;
};
std::vector<ModelCase> smooth_models() {
  return {{"squared", {.name = "linear"}},
          {"squared with intercept and ridge", {.name = "linear", .ridge = 0.1, .intercept = true}},
          {"sum of squares", {.name = "linear", .mean = false}},
          {"huber", {.name = "linear", .residual_loss = ResidualLoss::kHuber, .huber_delta = 0.5}},
          {"logistic", {.name = "logistic", .ridge = 0.01}},
          {"softmax", {.name = "softmax", .ridge = 0.01}},
          {"poisson", {.name = "poisson"}},
          {"point", {.name = "point"}},
          {"gaussian-mean", {.name = "gaussian-mean"}},
          {"graphical", {.name = "graphical"}}};
}

Given given_of(const ModelSpec& spec, double lambda = 0.1, const std::string& penalty = "l2") {
  return {random_dataset(21, spec.name, 8, 2, 12), spec, penalty, lambda};
}

/// Σ over the nodes of a group of ∇L_i(w), relative to the gradients that it is made of.
double relative_slope(const Problem& problem, const Matrix& w, const std::vector<NodeId>& group) {
  const Matrix here = loss_gradients(problem, w);
  const Matrix start = loss_gradients(problem, start_point(problem));
  return here(Eigen::all, group).rowwise().sum().norm() / (here.norm() + start.norm());
}

TEST(Local, IsTheLeastSquaresSolutionOfLeastNorm) {
  const Given given(random_dataset(20, "linear", 7, 4, 2), {.name = "linear"}, "l2", 0.1);
  const BaselineResult result = run("local", given.input());
  for (NodeId i = 0; i < given.dataset().nodes(); ++i) {
    const Index m = given.dataset().samples_of(i);
    const Matrix rows = given.dataset().features.middleCols(given.dataset().first_sample[i], m).transpose();
    const Vector labels = given.dataset().labels.segment(given.dataset().first_sample[i], m);
    const Vector expected =
        m == 0 ? Vector(Vector::Zero(4)) : Vector(rows.completeOrthogonalDecomposition().solve(labels));
    EXPECT_LE((result.w.col(i) - expected).norm(), 1e-9 * (1 + expected.norm())) << "node " << i;
  }
  EXPECT_THAT(result.notes, IsEmpty());
  EXPECT_EQ(result.trace.size(), 1U);
}

TEST(Local, IsStationaryForEveryModel) {
  for (const auto& [name, spec] : smooth_models()) {
    SCOPED_TRACE(name);
    const Given given = given_of(spec);
    const BaselineResult result = run("local", given.input());
    for (NodeId i = 0; i < given.problem().nodes(); ++i) {
      EXPECT_LE(relative_slope(given.problem(), result.w, {i}), 1e-8) << "node " << i;
    }
    EXPECT_THAT(result.notes, IsEmpty());
  }
}

TEST(Local, NamesTheNodesWhoseLossHasNoMinimiser) {
  Dataset dataset = random_dataset(22, "logistic", 4, 2, 30);
  for (Index r = dataset.first_sample[2]; r < dataset.first_sample[3]; ++r) {
    dataset.labels[r] = dataset.features(0, r) > 0 ? 1 : -1;  // separable
  }
  const Given given(std::move(dataset), {.name = "logistic"}, "l2", 0.1);
  EXPECT_THAT(run("local", given.input()).notes, ElementsAre(HasSubstr("node 'node2'")));
}

TEST(Local, SaysNothingOfLossesWithKinks) {
  const Given given = given_of({.name = "linear", .residual_loss = ResidualLoss::kAbsolute});
  EXPECT_THAT(run("local", given.input()).notes, IsEmpty());
}

TEST(Pooled, IsStationaryForTheSumOfLossesOfEveryModel) {
  for (const auto& [name, spec] : smooth_models()) {
    SCOPED_TRACE(name);
    const Given given = given_of(spec);
    const BaselineResult result = run("pooled", given.input());
    EXPECT_LE(relative_slope(given.problem(), result.w, {0, 1, 2, 3, 4, 5, 6, 7}), 1e-9);
    EXPECT_EQ(result.clusters.groups, 1);
  }
}

TEST(Pooled, IsTheLimitOfGtvMinimisationForALargeLambda) {
  for (const auto& [name, spec] : smooth_models()) {
    SCOPED_TRACE(name);
    const Given given = given_of(spec, 1e3);
    const SolveResult solved = solve(given.problem(), {.tolerance = 1e-10, .threads = 1});
    const BaselineResult result = run("pooled", given.input());
    ASSERT_EQ(solved.clusters.groups, 1);
    EXPECT_LE((result.w - solved.w).norm(), 1e-4 * solved.w.norm());
    EXPECT_NEAR(objective(given.problem(), result.w), solved.objective, 1e-8 * std::abs(solved.objective));
  }
}

TEST(Pooled, SaysWhenTheSumOfLossesHasNoMinimiser) {
  Dataset dataset = random_dataset(22, "logistic", 4, 2, 30);
  for (Index r = 0; r < dataset.samples(); ++r) dataset.labels[r] = dataset.features(0, r) > 0 ? 1 : -1;
  const Given given(std::move(dataset), {.name = "logistic"}, "l2", 0.1);
  EXPECT_THAT(run("pooled", given.input()).notes, ElementsAre(HasSubstr("no minimiser")));
}

// x = 1 at every sample and as many samples at every node: the sum of absolute residuals is least at the median.
TEST(Pooled, IsTheMedianForAbsoluteResiduals) {
  Dataset dataset = random_dataset(23, "linear", 6, 1, 5);
  dataset.first_sample = {0, 5, 10, 15, 20, 25, 25};
  dataset.features = Matrix::Ones(1, 25);
  Rng rng(24);
  dataset.labels = random_vector(rng, 25, 3);
  std::vector<double> sorted(dataset.labels.begin(), dataset.labels.end());
  std::sort(sorted.begin(), sorted.end());
  const Given given(std::move(dataset), {.name = "linear", .residual_loss = ResidualLoss::kAbsolute}, "l2", 0.1);
  const BaselineResult result = run("pooled", given.input());
  EXPECT_EQ(result.clusters.groups, 1);
  EXPECT_NEAR(result.w(0, 0), sorted[12], 1e-7);
}

// A minimum of a sum of absolute residuals in general position fits two samples exactly (d = 2): all pairs are tried.
TEST(Pooled, IsTheLeastOfAllVerticesForAbsoluteResiduals) {
  const Given given = given_of({.name = "linear", .residual_loss = ResidualLoss::kAbsolute});
  const Dataset& data = given.dataset();
  double least = std::numeric_limits<double>::infinity();
  for (Index a = 0; a < data.samples(); ++a) {
    for (Index b = 0; b < a; ++b) {
      const Matrix pair = data.features(Eigen::all, std::vector<Index>{a, b});
      const Vector vertex = pair.transpose().colPivHouseholderQr().solve(Vector{{data.labels[a], data.labels[b]}});
      least = std::min(least, total_loss(given.problem(), vertex.replicate(1, data.nodes())));
    }
  }
  EXPECT_NEAR(total_loss(given.problem(), run("pooled", given.input()).w), least, 1e-8 * least);
}

TEST(Pooled, IsTheLimitOfGtvMinimisationForLossesWithKinks) {
  for (const ModelSpec& spec :
       {ModelSpec{.name = "linear", .ridge = 0.1, .intercept = true, .residual_loss = ResidualLoss::kAbsolute},
        ModelSpec{.name = "linear", .mean = false, .residual_loss = ResidualLoss::kAbsolute},
        ModelSpec{.name = "graphical", .sparsity = 0.2}}) {
    SCOPED_TRACE(::testing::Message() << spec.name << ", mean " << spec.mean);
    const Given given = given_of(spec, 1e3);
    const SolveResult solved = solve(given.problem(), {.tolerance = 1e-9, .threads = 1});
    const BaselineResult result = run("pooled", given.input());
    EXPECT_EQ(result.clusters.groups, 1);
    EXPECT_NEAR(objective(given.problem(), result.w), solved.objective, 1e-7 * std::abs(solved.objective));
  }
}

/// A model that somebody brings along, of which nothing is known.
class Stranger final : public LocalModel {
 public:
  explicit Stranger(const LocalModel& model) : model_(model) {}
  [[nodiscard]] std::vector<std::string> parameter_names() const override { return model_.parameter_names(); }
  [[nodiscard]] LossPtr loss(ConstMatrixRef features, ConstVectorRef labels) const override {
    return model_.loss(features, labels);
  }
  [[nodiscard]] bool averages_samples() const override { return model_.averages_samples(); }

 private:
  const LocalModel& model_;
};

TEST(Pooled, FindsTheSameForAModelOfWhichNothingIsKnown) {
  const Given given = given_of({.name = "linear", .residual_loss = ResidualLoss::kAbsolute});
  const Stranger stranger(given.model());
  BaselineInput input = given.input();
  const double expected = total_loss(given.problem(), run("pooled", input).w);
  input.model = &stranger;
  const BaselineResult result = run("pooled", input);
  EXPECT_NEAR(total_loss(given.problem(), result.w), expected, 1e-7 * expected);
  EXPECT_EQ(result.clusters.groups, 1);
}

TEST(Oracle, IsThePooledModelOfEveryCluster) {
  const Partition clusters{.group_of = {0, 0, 0, 0, 1, 1, 1, 2}, .groups = 3};
  for (const auto& [name, spec] : smooth_models()) {
    SCOPED_TRACE(name);
    const Given given = given_of(spec);
    BaselineInput input = given.input();
    input.clusters = &clusters;
    const BaselineResult result = run("oracle", input);
    EXPECT_LE(relative_slope(given.problem(), result.w, {0, 1, 2, 3}), 1e-9);
    EXPECT_LE(relative_slope(given.problem(), result.w, {4, 5, 6}), 1e-9);
    EXPECT_LE(relative_slope(given.problem(), result.w, {7}), 1e-9);
    EXPECT_EQ(result.clusters.group_of, clusters.group_of);
  }
}

TEST(Oracle, NeedsTheClusters) {
  const Given given = given_of({.name = "linear"});
  const auto result = run_baseline(*find_baseline("oracle"), given.input(), {});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().messages, ElementsAre(HasSubstr("clusters")));
}

TEST(GroupMethods, RefuseLossesWithoutAHessianOfWhichNoSamplesAreKnown) {
  const Given given = given_of({.name = "linear", .residual_loss = ResidualLoss::kAbsolute});
  EXPECT_FALSE(run_baseline(*find_baseline("pooled"), {.problem = given.problem()}, {}));
}

TEST(Rounds, CountOnlyTheSecondsOfTheMethod) {
  const Problem problem = random_problem(2, {});
  double clock = 0;
  const BaselineContext context{.seconds = [&] { return clock += 1; },
                                .observe =
                                    [&](const RoundRecord& /*record*/, const Matrix& /*w*/) {
                                      clock += 1000;
                                      return true;
                                    }};
  const auto result = run_baseline(*find_baseline("gradient"), {.problem = problem},
                                   {.rounds = 5, .tolerance = 0, .learning_rate = 0.01}, context);
  EXPECT_EQ(result->trace.size(), 5U);
  EXPECT_LT(result->trace.back().seconds, 20);
}

TEST(ExactMethods, EndWhenTheyAreInterrupted) {
  const Partition clusters{.group_of = {0, 0, 0, 0, 1, 1, 1, 1}, .groups = 2};
  for (const ModelSpec& spec :
       {ModelSpec{.name = "logistic", .ridge = 0.01},
        ModelSpec{.name = "linear", .intercept = true, .residual_loss = ResidualLoss::kAbsolute}}) {
    const Given given = given_of(spec);
    const Stranger stranger(given.model());  // sums of absolute residuals are then sought on a star
    BaselineInput input = given.input();
    input.model = &stranger;
    input.clusters = &clusters;
    for (const std::string name : {"local", "pooled", "oracle", "mocha"}) {
      SCOPED_TRACE(::testing::Message() << name << ", " << spec.name);
      const Matrix whole = run(name, input).w;
      int asked = 0;
      BaselineContext context;
      context.interrupted = [&] { return ++asked > 1; };
      const BaselineResult result = *run_baseline(*find_baseline(name), input, {}, context);
      EXPECT_TRUE(result.w.allFinite());
      if (asked <= 1) continue;  // it was at its end before
      EXPECT_TRUE(result.interrupted);
      if (spec.name == "logistic") {
        EXPECT_NE(result.w, whole);
      }
      EXPECT_FALSE(run(name, input).interrupted);
    }
  }
}

TEST(Rounds, EndWhenTheObserverSaysSo) {
  const Problem problem = random_problem(2, {});
  const BaselineContext context{
      .seconds = {}, .observe = [](const RoundRecord& record, const Matrix& /*w*/) { return record.round < 3; }};
  const auto result = run_baseline(*find_baseline("nlasso-admm"), {.problem = problem},
                                   {.rounds = 50, .tolerance = 0, .admm_penalty = 1}, context);
  EXPECT_EQ(result->rounds, 3);
  EXPECT_TRUE(result->interrupted);
}

}  // namespace
}  // namespace gtvmin
