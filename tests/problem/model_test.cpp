#include "gtvmin/problem/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "gtvmin/problem/standardize.h"
#include "testing/random_problems.h"

namespace gtvmin {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Node a has two samples, node b none, node c one.
Dataset three_nodes() {
  Dataset data;
  data.node_names = {"a", "b", "c"};
  data.feature_names = {"x1", "x2"};
  data.first_sample = {0, 2, 2, 3};
  data.features = Matrix{{1, 2, -1}, {0.5, -1, 3}};
  data.labels = Vector{{1, -1, 1}};
  data.edges = {{0, 1, 1}, {1, 2, 2}};
  return data;
}

double loss_at(const Problem& problem, NodeId i, const Vector& w) { return problem.loss(i).value(w); }

TEST(MakeProblem, LinearIsTheMeanOrTheSumOfSquares) {
  const auto data = three_nodes();
  const Vector w{{0.3, -0.7}};
  const double first = std::pow(0.3 * 1 - 0.7 * 0.5 - 1, 2);
  const double second = std::pow(0.3 * 2 + 0.7 + 1, 2);
  const auto mean = *make_problem(data, {.name = "linear"}, L2Penalty{}, 0.1);
  const auto sum = *make_problem(data, {.name = "linear", .mean = false}, L2Penalty{}, 0.1);
  EXPECT_NEAR(loss_at(mean, 0, w), (first + second) / 2, 1e-13);
  EXPECT_NEAR(loss_at(sum, 0, w), first + second, 1e-13);
  EXPECT_TRUE(mean.loss(1).is_trivial());
  EXPECT_EQ(mean.dimension(), 2);
  EXPECT_EQ(mean.edges(), 2);
}

TEST(MakeProblem, RidgeActsOnEveryNodeButNotOnTheIntercept) {
  const auto data = three_nodes();
  const ModelSpec plain{.name = "linear", .intercept = true};
  const ModelSpec ridge{.name = "linear", .ridge = 0.25, .intercept = true};
  const auto without = *make_problem(data, plain, L2Penalty{}, 0.1);
  const auto with = *make_problem(data, ridge, L2Penalty{}, 0.1);
  EXPECT_EQ(with.dimension(), 3);
  const Vector w{{0.3, -0.7, 5}};
  for (NodeId i = 0; i < 3; ++i) {
    EXPECT_NEAR(loss_at(with, i, w) - loss_at(without, i, w), 0.25 * (0.09 + 0.49), 1e-12) << "node " << i;
  }
  EXPECT_FALSE(with.loss(1).is_trivial());
  // The intercept multiplies 1.
  EXPECT_NEAR(loss_at(without, 2, w), std::pow(-0.3 - 2.1 + 5 - 1, 2), 1e-12);
  EXPECT_THAT((*make_model(ridge, shape_of(data)))->parameter_names(), ElementsAre("x1", "x2", "intercept"));
}

TEST(MakeProblem, LogisticTakesLabelsOfBothSigns) {
  const auto problem = *make_problem(three_nodes(), {.name = "logistic"}, L2Penalty{}, 0.1);
  const Vector w{{0.3, -0.7}};
  const double first = std::log1p(std::exp(-(0.3 - 0.35)));
  const double second = std::log1p(std::exp(0.6 + 0.7));
  EXPECT_NEAR(loss_at(problem, 0, w), (first + second) / 2, 1e-14);
}

TEST(MakeProblem, PointIsTheSquaredDistance) {
  auto data = three_nodes();
  data.labels.resize(0);
  const auto problem = *make_problem(data, {.name = "point", .ridge = 0.5}, L2Penalty{}, 0.1);
  const Vector w{{0.3, -0.7}};
  EXPECT_NEAR(loss_at(problem, 2, w), 1.3 * 1.3 + 3.7 * 3.7 + 0.5 * w.squaredNorm(), 1e-12);
  EXPECT_NEAR(loss_at(problem, 1, w), 0.5 * w.squaredNorm(), 1e-14);
}

// With every sample twice a mean is what it was, and a sum twice as large.
TEST(MakeModel, SaysWhetherItsLossAveragesOrAddsUpSamples) {
  const Matrix once{{1, 2, -1, 0.5}, {0.5, -1, 3, 1}};
  const Matrix twice = once.replicate(1, 2);
  const Vector labels{{1, 0, 1, 1}};
  const Vector labels_twice = labels.replicate(2, 1);
  const ModelShape shape{{"x1", "x2"}, {"no", "yes"}};
  for (const std::string& name : model_names()) {
    for (const bool mean : {true, false}) {
      const ModelPtr model = std::move(*make_model({.name = name, .mean = mean}, shape));
      EXPECT_EQ(model->averages_samples(), mean) << name;
      const LossPtr loss = model->loss(once, labels);
      Vector w(loss->dimension());
      loss->start(w);
      w.array() += 0.1;
      const double factor = model->averages_samples() ? 1 : 2;
      EXPECT_NEAR(model->loss(twice, labels_twice)->value(w), factor * loss->value(w), 1e-12) << name;
    }
  }
}

TEST(MakeProblem, RefusesWhatItCannotMean) {
  const auto data = three_nodes();
  const auto reason = [&](const ModelSpec& model) {
    const auto problem = make_problem(data, model, L2Penalty{}, 0.1);
    return problem ? std::string("accepted") : problem.error().messages.front();
  };
  EXPECT_THAT(reason({.name = "cubic"}), HasSubstr("linear, logistic, softmax"));
  EXPECT_THAT(reason({.name = "point", .intercept = true}), HasSubstr("no intercept"));
  EXPECT_THAT(reason({.name = "linear", .ridge = -1}), HasSubstr("ridge"));
  EXPECT_EQ(reason({.name = "linear"}), "accepted");
  Dataset empty = data;
  empty.features.resize(0, 3);
  empty.feature_names.clear();
  EXPECT_FALSE(make_problem(empty, {.name = "linear"}, L2Penalty{}, 0.1).ok());
  EXPECT_TRUE(make_problem(empty, {.name = "linear", .intercept = true}, L2Penalty{}, 0.1).ok());
}

TEST(Predict, GivesAValueOrLogProbabilitiesOfClasses) {
  const Matrix x{{2}, {-1}};
  const ModelShape shape{{"x1", "x2"}, {"a", "b", "c"}};
  const auto predict = [&](const ModelSpec& spec, const Vector& w) {
    return (*make_model(spec, shape))->predict(w, x);
  };
  EXPECT_DOUBLE_EQ(predict({.name = "linear"}, Vector{{0.5, 3}})(0), -2);
  EXPECT_DOUBLE_EQ(predict({.name = "linear", .intercept = true}, Vector{{0.5, 3, 10}})(0), 8);
  EXPECT_DOUBLE_EQ(predict({.name = "poisson"}, Vector{{0.5, 3}})(0), std::exp(-2));
  const Matrix binary = predict({.name = "logistic"}, Vector{{0.5, 3}});
  EXPECT_NEAR(std::exp(binary(1)), 1 / (1 + std::exp(2.0)), 1e-15);
  EXPECT_NEAR(std::exp(binary(0)) + std::exp(binary(1)), 1, 1e-15);
  // Scores −2, 1 and 1000: no overflow, and the two others keep their ratio.
  const Matrix classes = predict({.name = "softmax"}, Vector{{0.5, 3, 0.5, 0, 500, 0}});
  EXPECT_EQ(classes(2), 0);
  EXPECT_NEAR(classes(1) - classes(0), 3, 1e-12);
}

TEST(Standardize, GivesMeanZeroAndDeviationOneAndNamesConstantFeatures) {
  Dataset data = three_nodes();
  data.features.row(1).setConstant(0.1);
  const auto map = standardize_features(data);
  EXPECT_NEAR(data.features.row(0).mean(), 0, 1e-15);
  EXPECT_NEAR(data.features.row(0).squaredNorm() / 3, 1, 1e-14);
  EXPECT_THAT(map.constant_features, ElementsAre("x2"));
  EXPECT_EQ(map.scales[1], 1);
  EXPECT_TRUE(data.features.row(1).isZero(0));
  EXPECT_NEAR(data.features(0, 1) * map.scales[0] + map.means[0], 2, 1e-15);
}

}  // namespace
}  // namespace gtvmin
