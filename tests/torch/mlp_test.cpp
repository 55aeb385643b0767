#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gtvmin/solver/solver.h"
#include "net_data.h"

namespace gtvmin {
namespace {

using ::testing::HasSubstr;
using testing::Labelled;
using testing::proximal_objective;
using testing::start_of;
using testing::three_features_two_classes;
using testing::two_classes;
using testing::two_rings;

ModelPtr make_mlp(TorchSpec net = {.hidden = {5}}, ModelSpec spec = {.name = "mlp", .intercept = true}) {
  Result<ModelPtr> model = make_torch_model(spec, net, three_features_two_classes());
  EXPECT_TRUE(model.ok()) << (model.ok() ? "" : model.error().messages.front());
  return *std::move(model);
}

TEST(Mlp, NamesEveryWeightByLayerAndPlace) {
  const auto names = make_mlp()->parameter_names();
  ASSERT_EQ(names.size(), 5U * 3 + 5 + 2 * 5 + 2);
  EXPECT_EQ(names.front(), "layer1.weight[0,0]");
  EXPECT_EQ(names[4], "layer1.weight[1,1]");
  EXPECT_EQ(names[15], "layer1.bias[0]");
  EXPECT_EQ(names.back(), "layer2.bias[1]");
}

// One hidden unit, no bias, W1 = (1, 0, 0), W2 = (2, −1)ᵀ: scores are 2 max(0, x1) and −max(0, x1).
TEST(Mlp, IsSoftmaxOfDenseLayersWithRelu) {
  const ModelPtr model = make_mlp({.hidden = {1}}, {.name = "mlp"});
  const Vector w = (Vector(5) << 1, 0, 0, 2, -1).finished();
  const Matrix x = (Matrix(3, 2) << 0.5, -3, 9, 9, 9, 9).finished();
  const Matrix predicted = model->predict(w, x);
  EXPECT_NEAR(predicted(0, 0), -std::log(1 + std::exp(-1.5)), 1e-6);
  EXPECT_NEAR(predicted(1, 0), -1.5 - std::log(1 + std::exp(-1.5)), 1e-6);
  EXPECT_NEAR(predicted(0, 1), std::log(0.5), 1e-6);
  const Vector labels = (Vector(2) << 1, 0).finished();
  EXPECT_NEAR(model->loss(x, labels)->value(w), -(predicted(1, 0) + predicted(0, 1)) / 2, 1e-6);
}

// With ρ so large that the prox is v, steps that see the proximity term stay there and steps that do not see it leave.
TEST(Mlp, WithoutProximalTermTheOptimizerSeesTheLossAlone) {
  const Labelled data = two_classes(40, 3);
  for (const bool proximal : {true, false}) {
    const LossPtr loss =
        make_mlp({.hidden = {5}, .steps = 10, .proximal_term = proximal})->loss(data.features, data.labels);
    const Vector v = start_of(*loss);
    Vector z = v;
    Vector scratch(loss->scratch_size());
    loss->prox(v, 1e9, 0, z, scratch);
    EXPECT_EQ((z - v).norm() > 0.1, !proximal);
    EXPECT_LE(loss->value(z), loss->value(v) + 1e-6);
  }
}

TEST(Mlp, GradientIsThatOfTheValue) {
  const Labelled data = two_classes(40, 3);
  for (const double ridge : {0.0, 0.1}) {
    const LossPtr loss =
        make_mlp({.hidden = {5}}, {.name = "mlp", .ridge = ridge, .intercept = true})->loss(data.features, data.labels);
    const Vector w = start_of(*loss);
    Vector g(w.size());
    loss->gradient(w, g);
    constexpr double kStep = 1e-3;  // floats: the error of a difference is about 1e-7 / step
    for (Index k = 0; k < w.size(); ++k) {
      Vector more = w;
      Vector less = w;
      more[k] += kStep;
      less[k] -= kStep;
      EXPECT_NEAR(g[k], (loss->value(more) - loss->value(less)) / (2 * kStep), 2e-3) << k;
    }
  }
}

TEST(Mlp, StartsAtTheSameWeightsEverywhereAndTheyComeFromTheSeed) {
  const Labelled data = two_classes(10, 3);
  const ModelPtr model = make_mlp();
  const Vector w = start_of(*model->loss(data.features, data.labels));
  EXPECT_EQ(w, start_of(*model->loss(data.features.leftCols(4), data.labels.head(4))));
  EXPECT_EQ(w, start_of(*model->loss(Matrix(3, 0), Vector())));
  EXPECT_NE(w, start_of(*make_mlp({.hidden = {5}, .seed = 1})->loss(data.features, data.labels)));
  EXPECT_LE(w.head(20).cwiseAbs().maxCoeff(), 1 / std::sqrt(3.0));
  EXPECT_GT(w.cwiseAbs().minCoeff(), 0);
}

class EveryOptimizer : public ::testing::TestWithParam<Optimizer> {};

TEST_P(EveryOptimizer, LowersTheProximalObjective) {
  const Labelled data = two_classes(60, 5);
  const LossPtr loss = make_mlp({.hidden = {5}, .optimizer = GetParam()})->loss(data.features, data.labels);
  const Vector start = start_of(*loss);
  Vector scratch(loss->scratch_size());
  for (const double rho : {0.01, 1.0, 100.0}) {
    const Vector v = start + Vector::Constant(start.size(), 0.1);
    Vector z = start;
    loss->prox(v, rho, 0, z, scratch);
    EXPECT_LT(proximal_objective(*loss, z, v, rho),
              std::min(proximal_objective(*loss, start, v, rho), proximal_objective(*loss, v, v, rho)))
        << rho;
  }
}

TEST_P(EveryOptimizer, StaysAtTheCentreIfThePullIsStrong) {
  const Labelled data = two_classes(60, 5);
  const LossPtr loss = make_mlp({.hidden = {5}, .optimizer = GetParam()})->loss(data.features, data.labels);
  const Vector start = start_of(*loss);
  const Vector v = start + Vector::Constant(start.size(), 1);
  Vector scratch(loss->scratch_size());
  double before = std::numeric_limits<double>::infinity();
  for (const double rho : {0.1, 10.0, 1e3, 1e6}) {
    Vector z = start;
    loss->prox(v, rho, 0, z, scratch);
    EXPECT_LE((z - v).norm(), before) << rho;
    before = (z - v).norm();
  }
  EXPECT_LT(before, 1e-5);
}

TEST_P(EveryOptimizer, FallsBackAndSaysSoIfTheLearningRateIsAbsurd) {
  const Labelled data = two_classes(60, 5);
  const LossPtr loss = make_mlp({.hidden = {5}, .optimizer = GetParam(), .steps = 50, .learning_rate = 1e30})
                           ->loss(data.features, data.labels);
  const Vector start = start_of(*loss);
  Vector z = start;
  Vector scratch(loss->scratch_size());
  loss->prox(start, 1e-3, 0, z, scratch);
  EXPECT_TRUE(z.allFinite());
  EXPECT_LE(loss->value(z), loss->value(start) + 1e-6);
  EXPECT_THAT(loss->warning(), ::testing::AnyOf("", HasSubstr("smaller learning rate")));
}

std::string name_of(const ::testing::TestParamInfo<Optimizer>& optimizer) {
  const std::vector<std::string> names = {"Sgd", "Adam", "Rmsprop", "Lbfgs"};
  return names[static_cast<std::size_t>(optimizer.param)];
}
INSTANTIATE_TEST_SUITE_P(Torch, EveryOptimizer,
                         ::testing::Values(Optimizer::kSgd, Optimizer::kAdam, Optimizer::kRmsprop, Optimizer::kLbfgs),
                         name_of);

TEST(Mlp, LearnsTwoClustersAndSaysThatNothingIsCertified) {
  const Dataset dataset = two_rings(60);
  const ModelPtr model = make_mlp({.hidden = {8}});
  const auto problem = make_problem(dataset, *model, {}, L2Penalty{}, 0.1);
  ASSERT_TRUE(problem.ok());
  const SolveResult result = solve(*problem, {.max_iterations = 60});
  EXPECT_EQ(result.certificate.kind, Certificate::Kind::kNoneNonconvex);
  EXPECT_EQ(result.status, SolveStatus::kIterationLimit);
  EXPECT_LT(result.objective, 0.7 * objective(*problem, start_point(*problem)));
  for (Index i = 0; i < 6; ++i) {
    const Labelled fresh = two_classes(200, 100 + static_cast<std::uint64_t>(i));
    const Matrix predicted = model->predict(result.w.col(i), fresh.features);
    Index right = 0;
    for (Index r = 0; r < 200; ++r) {
      const bool yes = predicted(1, r) > predicted(0, r);
      right += yes == (fresh.labels[r] == (i < 3 ? 1 : 0)) ? 1 : 0;
    }
    EXPECT_GT(right, 170) << i;
  }
}

TEST(Mlp, GivesTheSameBitsForEveryNumberOfThreadsAndInEveryRun) {
  const Dataset dataset = two_rings(30);
  const ModelPtr model = make_mlp({.hidden = {6}});
  const auto problem = make_problem(dataset, *model, std::vector<std::string>{"layer1.*"}, L2Penalty{}, 0.1);
  ASSERT_TRUE(problem.ok());
  const SolveResult one = solve(*problem, {.max_iterations = 10, .threads = 1});
  const Matrix all = all_parameters(*problem, one.w);
  for (const int threads : {1, 4}) {
    const SolveResult again = solve(*problem, {.max_iterations = 10, .threads = threads});
    EXPECT_EQ(again.w, one.w) << threads;
    EXPECT_EQ(all_parameters(*problem, again.w), all) << threads;
  }
}

TEST(Mlp, ANodeWithoutSamplesFollowsItsNeighbours) {
  Dataset dataset = two_rings(30);
  dataset.node_names.emplace_back("quiet");
  dataset.first_sample.push_back(dataset.first_sample.back());
  dataset.edges.push_back({5, 6, 1});
  const ModelPtr model = make_mlp({.hidden = {6}});
  const auto problem = make_problem(dataset, *model, {}, L2Penalty{}, 1);
  ASSERT_TRUE(problem.ok());
  const SolveResult result = solve(*problem, {.max_iterations = 60});
  EXPECT_LT((result.w.col(6) - result.w.col(5)).norm(), 0.1 * result.w.col(5).norm());
}

TEST(Mlp, RefusesWhatCannotBeTrained) {
  const auto message = [](const ModelSpec& spec, const TorchSpec& net, const ModelShape& shape) {
    const Result<ModelPtr> model = make_torch_model(spec, net, shape);
    return model.ok() ? std::string() : model.error().messages.front();
  };
  const ModelSpec mlp{.name = "mlp"};
  const ModelShape shape = three_features_two_classes();
  EXPECT_THAT(message({.name = "transformer"}, {}, shape), HasSubstr("there are mlp, torchscript"));
  EXPECT_THAT(message(mlp, {}, {{"x"}, {"only"}}), HasSubstr("the labels name 1 class; a classifier needs"));
  EXPECT_THAT(message(mlp, {}, {{}, {"no", "yes"}}), HasSubstr("no features"));
  EXPECT_THAT(message(mlp, {.hidden = {0}}, shape), HasSubstr("0 units"));
  EXPECT_THAT(message(mlp, {.hidden = {100'000'000}}, shape), HasSubstr("parameters; at most"));
  EXPECT_THAT(message(mlp, {.steps = 0}, shape), HasSubstr("0 steps"));
  EXPECT_THAT(message(mlp, {.learning_rate = -1}, shape), HasSubstr("learning rate"));
  EXPECT_THAT(message({.name = "mlp", .ridge = -1}, {}, shape), HasSubstr("ridge"));
}

}  // namespace
}  // namespace gtvmin
