#include "gtvmin/torch/torch_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <numeric>
#include <utility>

#include "criterion.h"
#include "network.h"
#include "tensors.h"
#include "torch_errors.h"
#include "torch_loss.h"

namespace gtvmin {
namespace {

/// name[i,j] of every entry of a tensor, row after row.
void add_names(const ParameterTensor& tensor, std::vector<std::string>& names) {
  std::vector<std::int64_t> at(tensor.shape.size(), 0);
  for (std::int64_t k = 0; k < tensor.size(); ++k) {
    names.push_back(at.empty() ? tensor.name : fmt::format("{}[{}]", tensor.name, fmt::join(at, ",")));
    for (std::size_t axis = at.size(); axis-- > 0;) {
      if (++at[axis] < tensor.shape[axis]) break;
      at[axis] = 0;
    }
  }
}

class TorchModel final : public LocalModel {
 public:
  explicit TorchModel(std::shared_ptr<const NetTraining> training) : training_(std::move(training)) {}

  [[nodiscard]] std::vector<std::string> parameter_names() const override {
    std::vector<std::string> names;
    for (const ParameterTensor& tensor : training_->plan.tensors) add_names(tensor, names);
    return names;
  }

  [[nodiscard]] LossPtr loss(ConstMatrixRef features, ConstVectorRef labels) const override {
    std::vector<Index> all(static_cast<std::size_t>(training_->plan.start.numel()));
    std::iota(all.begin(), all.end(), Index{0});
    return loss_in(all, features, labels);
  }

  [[nodiscard]] LossPtr loss_in(std::span<const Index> coupled, ConstMatrixRef features,
                                ConstVectorRef labels) const override {
    if (features.cols() > 0) return std::make_unique<TorchLoss>(training_, coupled, features, labels);
    const Index parameters = training_->plan.start.numel();
    Vector start(parameters);
    to_vector(training_->plan.start, start);
    Vector ridge = Vector::Zero(parameters);
    if (training_->ridge.defined()) to_vector(training_->ridge, ridge);
    return std::make_unique<NoSamplesLoss>(std::move(start), std::move(ridge), coupled);
  }

  [[nodiscard]] bool averages_samples() const override { return training_->mean; }
  /// Every step of the optimizer passes all samples forward and back.
  [[nodiscard]] Index update_work(Index samples) const override {
    constexpr Index kPassesOfAStep = 3;
    return kPassesOfAStep * training_->net.steps * samples;
  }
  [[nodiscard]] PredictionKind predicts() const override { return training_->criterion.predicts(); }
  [[nodiscard]] Matrix predict(ConstVectorRef parameters, ConstMatrixRef features) const override {
    compute_alone();
    const at::NoGradGuard forward_only;
    const at::ScalarType type = training_->plan.start.scalar_type();
    const at::Tensor theta = to_tensor(parameters.data(), parameters.size(), type);
    try {
      return training_->criterion.predictions(
          training_->plan.network->clone()->outputs(theta, to_rows(features, type)));
    } catch (const std::exception&) {  // a module that cannot take these samples says nothing about them
      return Matrix::Constant(training_->criterion.rows(), features.cols(), std::numeric_limits<double>::quiet_NaN());
    }
  }

 private:
  std::shared_ptr<const NetTraining> training_;
};

/// Some samples to try a network with, none of them special.
at::Tensor probe(std::int64_t samples, std::int64_t features, at::ScalarType type) {
  return at::linspace(0, 1, samples * features, at::kDouble).to(type).view({samples, features});
}

/// Runs the network on one sample and on three: a user learns what does not fit before anything is trained.
Status try_out(const NetTraining& training, std::int64_t features, const std::string& name) {
  const at::NoGradGuard forward_only;
  const at::Tensor& start = training.plan.start;
  for (const std::int64_t samples : {1, 3}) {
    const at::Tensor inputs = probe(samples, features, start.scalar_type());
    try {
      const auto network = training.plan.network->clone();
      const at::Tensor outputs = network->outputs(start, inputs);
      if (const std::string wrong = training.criterion.complaint(outputs, samples); !wrong.empty()) {
        return bad_input(fmt::format("{}: {}", name, wrong));
      }
      if (!outputs.equal(network->outputs(start, inputs)) && !outputs.isnan().any().item<bool>()) {
        return bad_input(fmt::format(
            "{}: two calls with the same samples give different outputs; was dropout traced in training mode?", name));
      }
    } catch (const std::exception& error) {
      return bad_input(fmt::format("{}: it cannot be run on {} sample{} with {} feature{}: {}", name, samples,
                                   samples == 1 ? "" : "s", features, features == 1 ? "" : "s", first_line(error)));
    }
  }
  return Unit{};
}

at::Tensor ridge_of(const NetworkPlan& plan, double ridge) {
  if (ridge == 0) return {};
  std::vector<at::Tensor> parts;
  for (const ParameterTensor& tensor : plan.tensors) {
    parts.push_back(at::full({tensor.size()}, tensor.is_weight() ? ridge : 0.0, plan.start.options()));
  }
  return at::cat(parts);
}

Status check(const ModelSpec& model, const TorchSpec& net, const ModelShape& shape) {
  if (!std::isfinite(model.ridge) || model.ridge < 0) {
    return usage_error(fmt::format("ridge = {} is not a number ≥ 0", model.ridge));
  }
  if (net.steps < 1) return usage_error(fmt::format("{} steps of the optimizer; at least 1 is needed", net.steps));
  if (!std::isfinite(net.learning_rate) || net.learning_rate < 0) {
    return usage_error(fmt::format("the learning rate {} is not a number ≥ 0", net.learning_rate));
  }
  if (torch_label_domain(model.name, net.module_loss) == LabelDomain::kClass && shape.classes.size() < 2) {
    return bad_input(fmt::format("the labels name {} class{}; a classifier needs at least two", shape.classes.size(),
                                 shape.classes.size() == 1 ? "" : "es"));
  }
  return Unit{};
}

}  // namespace

Result<ModelPtr> make_torch_model(const ModelSpec& model, const TorchSpec& net, const ModelShape& shape) {
  const auto& known = torch_model_names();
  if (std::find(known.begin(), known.end(), model.name) == known.end()) {
    return usage_error(fmt::format("unknown neural net '{}'; there are {}", model.name, fmt::join(known, ", ")));
  }
  if (const Status checked = check(model, net, shape); !checked) return checked.error();
  compute_alone();
  const bool mlp = model.name == "mlp";
  Result<NetworkPlan> plan = mlp ? plan_mlp(model, net, shape) : plan_module(model, net, shape);
  if (!plan) return plan.error();
  const ModuleLoss loss = mlp ? ModuleLoss::kCrossEntropy : net.module_loss;
  const at::Tensor ridge = ridge_of(*plan, model.ridge);
  auto training = std::make_shared<const NetTraining>(
      NetTraining{.plan = *std::move(plan),
                  .criterion = {loss, static_cast<std::int64_t>(shape.classes.size()), model.huber_delta},
                  .net = net,
                  .mean = model.mean,
                  .ridge = ridge});
  const auto features = static_cast<std::int64_t>(shape.features.size());
  if (const Status tried = try_out(*training, features, mlp ? "mlp" : net.module); !tried) return tried.error();
  return ModelPtr(std::make_unique<TorchModel>(std::move(training)));
}

}  // namespace gtvmin
