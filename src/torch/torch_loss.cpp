#include "torch_loss.h"

#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <limits>
#include <utility>

#include "tensors.h"
#include "torch_errors.h"

namespace gtvmin {

TorchLoss::TorchLoss(std::shared_ptr<const NetTraining> training, std::span<const Index> coupled,
                     ConstMatrixRef features, ConstVectorRef labels)
    : training_(std::move(training)),
      dimension_(static_cast<Index>(coupled.size())),
      weight_(training_->mean ? 1 / static_cast<double>(features.cols()) : 1),
      network_(training_->plan.network->clone()),
      theta_(training_->plan.start.clone()) {
  const at::ScalarType type = theta_.scalar_type();
  inputs_ = to_rows(features, type);
  targets_ = training_->criterion.targets(labels, type);
  if (dimension_ < parameters()) {
    coupled_ = at::tensor(std::vector<std::int64_t>(coupled.begin(), coupled.end()), at::kLong);
  }
}

at::Tensor TorchLoss::coupled_part(const at::Tensor& all) const {
  return coupled_.defined() ? all.index_select(0, coupled_) : all;
}

void TorchLoss::set_coupled(ConstVectorRef w) const {
  const at::Tensor numbers = to_tensor(w.data(), w.size(), theta_.scalar_type());
  if (coupled_.defined()) {
    theta_.index_copy_(0, coupled_, numbers);
  } else {
    theta_.copy_(numbers);
  }
}

/// L(θ) in all parameters. What libtorch throws becomes a value that is not finite, and its words are kept.
double TorchLoss::loss_at(const at::Tensor& theta, at::Tensor* gradient) const {
  try {
    const at::AutoGradMode recording(gradient != nullptr);
    const at::Tensor point = gradient != nullptr ? theta.detach().requires_grad_(true) : theta.detach();
    at::Tensor loss = weight_ * training_->criterion.sum(network_->outputs(point, inputs_), targets_);
    if (training_->ridge.defined()) loss = loss + (training_->ridge * point * point).sum();
    if (gradient != nullptr) {
      const at::Tensor slope = torch::autograd::grad({loss}, {point}, {}, {}, false, /*allow_unused=*/true)[0];
      const at::NoGradGuard copies_only;
      if (slope.defined()) {
        gradient->copy_(slope);
      } else {
        gradient->zero_();
      }
    }
    return loss.item<double>();
  } catch (const std::exception& error) {
    if (failure_.empty()) failure_ = first_line(error);
    if (gradient != nullptr) gradient->zero_();
    return std::numeric_limits<double>::quiet_NaN();
  }
}

double TorchLoss::value(ConstVectorRef w) const {
  const std::lock_guard lock(mutex_);
  compute_alone();
  set_coupled(w);
  return loss_at(theta_, nullptr);
}

void TorchLoss::gradient(ConstVectorRef w, VectorRef g) const {
  const std::lock_guard lock(mutex_);
  compute_alone();
  set_coupled(w);
  at::Tensor slope = at::zeros_like(theta_);
  static_cast<void>(loss_at(theta_, &slope));
  to_vector(coupled_part(slope), g);
}

void TorchLoss::start(VectorRef w) const {
  const std::lock_guard lock(mutex_);
  theta_.copy_(training_->plan.start);
  to_vector(coupled_part(theta_), w);
}

/// Trains θ, which holds the start, on L(θ) + (ρ/2)‖coupled part of θ − v‖².
Descent TorchLoss::train(ConstVectorRef v, double rho) const {
  const at::Tensor center = to_tensor(v.data(), v.size(), theta_.scalar_type());
  const TorchObjective objective = [&](const at::Tensor& theta, at::Tensor* gradient) {
    const double loss = loss_at(theta, gradient);
    const at::NoGradGuard by_hand;
    const at::Tensor away = coupled_part(theta) - center;
    if (gradient != nullptr) {
      if (coupled_.defined()) {
        gradient->index_add_(0, coupled_, away, rho);
      } else {
        gradient->add_(away, rho);
      }
    }
    return loss + rho / 2 * away.dot(away).item<double>();
  };
  // From v, if that is better: a large ρ leaves the optimizer little to do, and w may be far.
  const double at_start = objective(theta_, nullptr);
  const at::Tensor warm = theta_.clone();
  set_coupled(v);
  if (!(objective(theta_, nullptr) < at_start)) theta_.copy_(warm);
  const double shrunk = 1 / std::sqrt(1 + learning_rate(training_->net) * rho);
  const at::Tensor scale =
      coupled_.defined() ? at::ones_like(theta_).index_fill_(0, coupled_, shrunk) : at::full_like(theta_, shrunk);
  return descend(objective, scale, training_->net, theta_);
}

/// Trains θ on L(θ) from v.
Descent TorchLoss::train_alone(ConstVectorRef v) const {
  set_coupled(v);
  const TorchObjective objective = [&](const at::Tensor& theta, at::Tensor* gradient) {
    return loss_at(theta, gradient);
  };
  return descend(objective, at::ones_like(theta_), training_->net, theta_);
}

void TorchLoss::prox(ConstVectorRef v, double rho, double /*tolerance*/, VectorRef z, VectorRef /*scratch*/) const {
  const std::lock_guard lock(mutex_);
  compute_alone();
  set_coupled(z);
  ++updates_;
  if ((training_->net.proximal_term ? train(v, rho) : train_alone(v)).lost) ++lost_;
  to_vector(coupled_part(theta_), z);
}

void TorchLoss::complete(ConstVectorRef w, VectorRef all) const {
  const std::lock_guard lock(mutex_);
  set_coupled(w);
  to_vector(theta_, all);
  if (!coupled_.defined()) all = w;
}

std::string TorchLoss::warning() const {
  const std::lock_guard lock(mutex_);
  if (!failure_.empty()) return "libtorch: " + failure_;
  if (lost_ == 0) return {};
  return fmt::format(
      "the loss was not finite in {} of {} updates; these kept the best point before. Try a smaller learning rate",
      lost_, updates_);
}

NoSamplesLoss::NoSamplesLoss(Vector start, Vector ridge, std::span<const Index> coupled)
    : start_(std::move(start)), coupled_(coupled.begin(), coupled.end()) {
  ridge_ = ridge(coupled_);
}

double NoSamplesLoss::value(ConstVectorRef w) const { return w.cwiseAbs2().dot(ridge_); }

void NoSamplesLoss::gradient(ConstVectorRef w, VectorRef g) const { g = 2 * ridge_.cwiseProduct(w); }

void NoSamplesLoss::prox(ConstVectorRef v, double rho, double /*tolerance*/, VectorRef z, VectorRef /*scratch*/) const {
  z = v.array() * (rho / (rho + 2 * ridge_.array()));
}

void NoSamplesLoss::complete(ConstVectorRef w, VectorRef all) const {
  all = start_;
  all(coupled_) = w;
}

}  // namespace gtvmin
