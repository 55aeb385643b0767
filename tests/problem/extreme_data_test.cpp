// Data of any magnitude: every model either refuses a node's samples by name, or its loss ends and gives finite
// numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "gtvmin/base/rng.h"
#include "gtvmin/problem/model.h"
#include "gtvmin/problem/standardize.h"

namespace gtvmin {
namespace {

using ::testing::HasSubstr;

constexpr double kDenormal = std::numeric_limits<double>::denorm_min();
constexpr double kTiniest = std::numeric_limits<double>::min();

struct Case {
  const char* name;
  ModelSpec spec;
  LabelDomain labels;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> list = {
      {"linear", {.name = "linear"}, LabelDomain::kReal},
      {"linear sum", {.name = "linear", .mean = false, .intercept = true}, LabelDomain::kReal},
      {"ridge", {.name = "linear", .ridge = 1e-3, .intercept = true}, LabelDomain::kReal},
      {"absolute", {.name = "linear", .residual_loss = ResidualLoss::kAbsolute}, LabelDomain::kReal},
      {"huber", {.name = "linear", .residual_loss = ResidualLoss::kHuber}, LabelDomain::kReal},
      {"private", {.name = "linear", .couple = {"x1"}}, LabelDomain::kReal},
      {"logistic", {.name = "logistic"}, LabelDomain::kBinary},
      {"private logistic", {.name = "logistic", .intercept = true, .couple = {"x1"}}, LabelDomain::kBinary},
      {"poisson", {.name = "poisson"}, LabelDomain::kCount},
      {"softmax", {.name = "softmax", .ridge = 0.1}, LabelDomain::kClass},
      {"point", {.name = "point"}, LabelDomain::kNone},
      {"gaussian-mean", {.name = "gaussian-mean", .ridge = 1}, LabelDomain::kNone},
      {"graphical", {.name = "graphical"}, LabelDomain::kNone},
      {"sparse graphical", {.name = "graphical", .sparsity = 0.1}, LabelDomain::kNone},
  };
  return list;
}

/// One node with two features, all numbers made by `number`.
template <class Number>
Dataset one_node(Index samples, LabelDomain labels, const Number& number) {
  Dataset data;
  data.node_names = {"n"};
  data.feature_names = {"x1", "x2"};
  data.first_sample = {0, samples};
  data.features.resize(2, samples);
  for (double& x : data.features.reshaped()) x = number();
  if (labels == LabelDomain::kNone) return data;
  data.labels.resize(samples);
  for (Index r = 0; r < samples; ++r) {
    const double y = number();
    switch (labels) {
      case LabelDomain::kBinary:
        data.labels[r] = y > 0 ? 1 : -1;
        break;
      case LabelDomain::kCount:
        data.labels[r] = std::floor(std::min(std::abs(y), 1e15));
        break;
      case LabelDomain::kClass:
        data.labels[r] = y > 0 ? 1 : 0;
        break;
      default:
        data.labels[r] = y;
    }
  }
  if (labels == LabelDomain::kClass) data.class_names = {"no", "yes"};
  return data;
}

void expect_finite_numbers(const LocalLoss& loss, const Dataset& data) {
  SCOPED_TRACE(::testing::Message() << "features\n" << data.features << "\nlabels " << data.labels.transpose());
  const Index d = loss.dimension();
  Vector w(d);
  loss.start(w);
  Vector g(d);
  loss.gradient(w, g);
  EXPECT_TRUE(std::isfinite(loss.value(w)));
  EXPECT_TRUE(g.allFinite());
  Vector scratch(loss.scratch_size());
  for (const double rho : {kTiniest, 1e-12, 1.0, 1e12}) {
    Vector z = w;
    loss.prox(w, rho, 0, z, scratch);
    EXPECT_TRUE(z.allFinite()) << "rho " << rho << ", z " << z.transpose();
    EXPECT_FALSE(std::isnan(loss.value(z))) << "rho " << rho << ", z " << z.transpose();
  }
}

TEST(ExtremeData, IsRefusedByNameOrGivesFiniteNumbers) {
  Rng rng(20);
  int refused = 0;
  int accepted = 0;
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    for (int repeat = 0; repeat < 300; ++repeat) {
      // Some datasets have one magnitude, others any; some are sane but for one number.
      const double magnitude = 600 * rng.uniform() - 300;
      const int kind = repeat % 3;
      const auto number = [&]() -> double {
        if (rng.uniform() < 0.1) return std::array{0.0, kDenormal, kTiniest, -1e300, 1e300, 3.0}[repeat % 6];
        const double exponent = kind == 0 ? magnitude : kind == 1 ? 600 * rng.uniform() - 300 : rng.uniform();
        return (rng.uniform() < 0.5 ? -1 : 1) * (0.5 + rng.uniform()) * std::pow(10.0, exponent);
      };
      const Dataset data = one_node(1 + repeat % 4, c.labels, number);
      const Result<Problem> problem = make_problem(data, c.spec, L2Penalty{}, 1);
      if (problem) {
        ++accepted;
        expect_finite_numbers(problem->loss(0), data);
      } else {
        ++refused;
        EXPECT_EQ(problem.error().kind, Error::Kind::kBadInput);
        EXPECT_THAT(problem.error().messages.front(), HasSubstr("node 'n': "));
        EXPECT_THAT(problem.error().messages.front(), HasSubstr("rescale"));
      }
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(refused, 500);
  EXPECT_GT(accepted, 500);
}

Dataset three_numbers(double x1, double x2, double y) {
  Dataset data;
  data.node_names = {"3"};
  data.feature_names = {"x1", "x2"};
  data.first_sample = {0, 1};
  data.features = Matrix{{x1}, {x2}};
  data.labels = Vector{{y}};
  return data;
}

TEST(ExtremeData, TheRefusalSaysWhichNumberIsTooLargeOrTooSmall) {
  const auto refusal = [](double x1, double x2, double y) {
    const auto problem = make_problem(three_numbers(x1, x2, y), {.name = "linear"}, L2Penalty{}, 1);
    return problem ? std::string() : problem.error().messages.front();
  };
  EXPECT_EQ(refusal(1e300, 1, 1), "node '3': feature x1 is 1e+300: squares overflow; rescale it");
  EXPECT_EQ(refusal(1, 1, -1e300), "node '3': a label is -1e+300: squares overflow; rescale the labels");
  EXPECT_EQ(refusal(1, 1e-200, 1),
            "node '3': feature x2 is at most 1e-200 in magnitude: squares underflow; rescale it, or write 0");
  EXPECT_EQ(refusal(1, 0, 1e-300), "");
  EXPECT_EQ(refusal(1e70, 1e-70, 1e70), "");
}

TEST(ExtremeData, StandardisedFeaturesAreInRange) {
  for (const double unit : {1e-307, 1e-200, 1.0, 1e200, 1e307}) {
    SCOPED_TRACE(unit);
    Dataset data;
    data.node_names = {"a"};
    data.feature_names = {"x"};
    data.first_sample = {0, 4};
    data.features = Matrix{{1 * unit, 2 * unit, -3 * unit, 8 * unit}};
    const Standardization map = standardize_features(data);
    EXPECT_NEAR(map.means[0] / unit, 2, 1e-14);
    EXPECT_NEAR(map.scales[0] / unit, std::sqrt(15.5), 1e-14);
    EXPECT_NEAR(data.features(0, 3), 6 / std::sqrt(15.5), 1e-14);
    EXPECT_NEAR(data.features.squaredNorm(), 4, 1e-13);
  }
}

TEST(ExtremeData, WeightsOfRidgeAndSparsityThatCannotBeSquaredAreRefused) {
  const auto data = three_numbers(1, 2, 3);
  for (const double weight : {1e200, 1e-200, -1.0, std::numeric_limits<double>::infinity()}) {
    EXPECT_FALSE(make_model({.name = "linear", .ridge = weight}, shape_of(data)));
    EXPECT_FALSE(make_model({.name = "graphical", .sparsity = weight}, shape_of(data)));
  }
  EXPECT_FALSE(make_model({.residual_loss = ResidualLoss::kHuber, .huber_delta = 1e200}, shape_of(data)));
  EXPECT_TRUE(make_model({.name = "linear", .ridge = 1e-100}, shape_of(data)));
}

TEST(MakeProblem, EndsOnceItIsToldTo) {
  const auto data = three_numbers(1, 2, 3);
  const auto stopped = make_problem(data, {.name = "linear"}, L2Penalty{}, 1, [] { return true; });
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().kind, Error::Kind::kInterrupted);
  EXPECT_TRUE(make_problem(data, {.name = "linear"}, L2Penalty{}, 1, [] { return false; }));
}

}  // namespace
}  // namespace gtvmin
