#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/script.h>

#include <Eigen/QR>
#include <filesystem>
#include <fstream>

#include "gtvmin/solver/solver.h"
#include "net_data.h"

namespace gtvmin {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using torch::jit::Module;

/// Modules as PyTorch would save them, in a folder that goes when the test does.
class Script : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              ("script_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// A module with these parameters and this forward.
  std::string save(const std::vector<std::pair<std::string, at::Tensor>>& parameters, const std::string& forward) {
    Module module("__torch__.Net");
    for (const auto& [name, value] : parameters)
      module.register_parameter(name, value.clone().set_requires_grad(true), false);
    module.define(forward);
    const std::string path = (folder_ / "net.pt").string();
    module.save(path);
    return path;
  }
  std::string save_linear(at::ScalarType type = at::kFloat) {
    return save({{"weight", at::zeros({1, 3}, type)}, {"bias", at::zeros({1}, type)}},
                "def forward(self, x):\n    return torch.linear(x, self.weight, self.bias)\n");
  }

  std::filesystem::path folder_;
};

Result<ModelPtr> make(const TorchSpec& net, const ModelShape& shape = {{"x1", "x2", "x3"}, {}}) {
  return make_torch_model({.name = "torchscript"}, net, shape);
}
std::string complaint(const TorchSpec& net, const ModelShape& shape = {{"x1", "x2", "x3"}, {}}) {
  const Result<ModelPtr> model = make(net, shape);
  return model.ok() ? std::string() : model.error().messages.front();
}

struct Regression {
  Matrix features;
  Vector labels;
  Vector solution;  // of least squares, the intercept last
};
Regression regression(Index samples) {
  Rng rng(7);
  Regression data{Matrix(3, samples), Vector(samples), {}};
  for (Index r = 0; r < samples; ++r) {
    for (Index k = 0; k < 3; ++k) data.features(k, r) = rng.normal();
    data.labels[r] = 1 + data.features(0, r) - 2 * data.features(2, r) + 0.3 * rng.normal();
  }
  Matrix with_one(samples, 4);
  with_one << data.features.transpose(), Vector::Ones(samples);
  data.solution = with_one.householderQr().solve(data.labels);
  return data;
}

TEST_F(Script, ALinearModuleReachesTheLeastSquaresSolution) {
  const Regression data = regression(50);
  for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
    const auto model = make({.module = save_linear(type), .module_loss = ModuleLoss::kMse, .steps = 50});
    ASSERT_TRUE(model.ok()) << model.error().messages.front();
    EXPECT_THAT((*model)->parameter_names(), ElementsAre("weight[0,0]", "weight[0,1]", "weight[0,2]", "bias[0]"));
    Dataset dataset;
    dataset.node_names = {"alone"};
    dataset.feature_names = {"x1", "x2", "x3"};
    dataset.first_sample = {0, 50};
    dataset.features = data.features;
    dataset.labels = data.labels;
    const auto problem = make_problem(dataset, **model, {}, L2Penalty{}, 0);
    ASSERT_TRUE(problem.ok());
    const SolveResult result = solve(*problem, {.max_iterations = 5});
    EXPECT_LT((result.w.col(0) - data.solution).norm(), type == at::kFloat ? 1e-4 : 1e-6);
    EXPECT_LT(result.certificate.value, 1e-3);
    const Matrix predicted = (*model)->predict(result.w.col(0), data.features);
    EXPECT_EQ((*model)->predicts(), PredictionKind::kValue);
    EXPECT_NEAR((predicted.row(0).transpose() - data.labels).squaredNorm() / 50, result.loss, 1e-4);
  }
}

// One weight w, one sample x = 2, label y, so o = 2w.
TEST_F(Script, EveryLossIsWhatItsNameSays) {
  const std::string path =
      save({{"w", at::zeros({1})}}, "def forward(self, x):\n    return (x * self.w).reshape(-1)\n");
  const Matrix x = Matrix::Constant(1, 1, 2);
  const auto value = [&](ModuleLoss kind, double y, double w) {
    const auto model = make({.module = path, .module_loss = kind}, {{"x"}, {}});
    EXPECT_TRUE(model.ok());
    return (*model)->loss(x, Vector::Constant(1, y))->value(Vector::Constant(1, w));
  };
  EXPECT_NEAR(value(ModuleLoss::kMse, 1, 2), 9, 1e-5);
  EXPECT_NEAR(value(ModuleLoss::kL1, 1, 2), 3, 1e-5);
  EXPECT_NEAR(value(ModuleLoss::kHuber, 1, 2), 2 * 3 - 1, 1e-5);
  EXPECT_NEAR(value(ModuleLoss::kHuber, 1, 0.75), 0.25, 1e-5);
  EXPECT_NEAR(value(ModuleLoss::kPoisson, 3, 0.5), std::exp(1.0) - 3, 1e-5);
  EXPECT_NEAR(value(ModuleLoss::kBinaryCrossEntropy, 1, 0.5), std::log(1 + std::exp(-1.0)), 1e-5);
  EXPECT_NEAR(value(ModuleLoss::kBinaryCrossEntropy, -1, 0.5), std::log(1 + std::exp(1.0)), 1e-5);
}

TEST_F(Script, ABinaryNetGivesBothLogProbabilities) {
  const std::string path = save({{"w", at::zeros({1})}}, "def forward(self, x):\n    return x * self.w\n");
  const auto model = make({.module = path, .module_loss = ModuleLoss::kBinaryCrossEntropy}, {{"x"}, {}});
  ASSERT_TRUE(model.ok());
  const Matrix predicted = (*model)->predict(Vector::Constant(1, 1), Matrix::Constant(1, 1, 2));
  ASSERT_EQ(predicted.rows(), 2);
  EXPECT_NEAR(predicted(1, 0), -std::log(1 + std::exp(-2.0)), 1e-6);
  EXPECT_NEAR(predicted(0, 0), -std::log(1 + std::exp(2.0)), 1e-6);
}

TEST_F(Script, NodesDoNotShareTheModule) {
  const auto model = make({.module = save_linear(), .module_loss = ModuleLoss::kMse});
  ASSERT_TRUE(model.ok());
  const Regression data = regression(20);
  const LossPtr a = (*model)->loss(data.features, data.labels);
  const LossPtr b = (*model)->loss(data.features, data.labels);
  Vector w = Vector::Ones(4);
  const double before = b->value(w);
  EXPECT_NE(a->value(Vector::Zero(4)), before);
  EXPECT_EQ(b->value(w), before);
}

TEST_F(Script, RefusesWhatIsNoModuleOrDoesNotFit) {
  EXPECT_THAT(complaint({.module = "missing.pt"}, {{"x"}, {"a", "b"}}), HasSubstr("missing.pt: there is no such file"));
  const std::string broken = (folder_ / "broken.pt").string();
  std::ofstream(broken) << "nonsense";
  EXPECT_THAT(complaint({.module = broken}, {{"x"}, {"a", "b"}}), HasSubstr("not a TorchScript module"));
  const std::string linear = save_linear();
  EXPECT_THAT(complaint({.module = linear, .module_loss = ModuleLoss::kMse}, {{"x1", "x2"}, {}}),
              HasSubstr("cannot be run on 1 sample with 2 features"));
  EXPECT_THAT(
      complaint({.module = linear}, {{"x1", "x2", "x3"}, {"a", "b"}}),
      HasSubstr("for 1 samples its outputs have the shape [1, 1]; one score for each of the 2 classes, [1, 2]"));
}

TEST_F(Script, RefusesModulesWithoutParametersOrWithHalfPrecision) {
  const std::string none = save({}, "def forward(self, x):\n    return x.sum(1)\n");
  EXPECT_THAT(complaint({.module = none, .module_loss = ModuleLoss::kMse}), HasSubstr("no parameters"));
  const std::string half =
      save({{"w", at::zeros({3}, at::kHalf)}}, "def forward(self, x):\n    return (x * self.w.float()).sum(1)\n");
  EXPECT_THAT(complaint({.module = half, .module_loss = ModuleLoss::kMse}), HasSubstr("parameter w has the type Half"));
  const std::string fixed =
      save({{"w", at::zeros({3})}}, "def forward(self, x):\n    return (x * self.w).sum(1)[:1]\n");
  EXPECT_THAT(complaint({.module = fixed, .module_loss = ModuleLoss::kMse}), HasSubstr("for 3 samples"));
}

TEST_F(Script, AModuleThatFailsOnRealSamplesBecomesAWarningNotACrash) {
  const std::string path =
      save({{"table", at::zeros({4, 1})}}, "def forward(self, x):\n    return self.table[x[:, 0].long()]\n");
  const auto model = make({.module = path, .module_loss = ModuleLoss::kMse}, {{"x"}, {}});
  ASSERT_TRUE(model.ok()) << model.error().messages.front();
  const LossPtr loss = (*model)->loss(Matrix::Constant(1, 2, 9), Vector::Zero(2));
  EXPECT_TRUE(std::isnan(loss->value(Vector::Zero(4))));
  EXPECT_THAT(loss->warning(), HasSubstr("index 9 is out of bounds"));
  Vector z = Vector::Zero(4);
  Vector scratch;
  loss->prox(Vector::Zero(4), 1, 0, z, scratch);
  EXPECT_TRUE(z.allFinite());
  EXPECT_TRUE((*model)->predict(z, Matrix::Constant(1, 2, 9)).hasNaN());
}

}  // namespace
}  // namespace gtvmin
