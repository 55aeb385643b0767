#include "optimiser.h"

#include <torch/optim.h>

#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <vector>

namespace gtvmin {
namespace {

std::unique_ptr<torch::optim::Optimizer> make_optimizer(const TorchSpec& net, const at::Tensor& y) {
  const double rate = learning_rate(net);
  const std::vector<at::Tensor> parameters = {y};
  switch (net.optimizer) {
    case Optimizer::kSgd:
      return std::make_unique<torch::optim::SGD>(parameters, torch::optim::SGDOptions(rate));
    case Optimizer::kAdam:
      return std::make_unique<torch::optim::Adam>(parameters, torch::optim::AdamOptions(rate));
    case Optimizer::kRmsprop:
      return std::make_unique<torch::optim::RMSprop>(parameters, torch::optim::RMSpropOptions(rate));
    case Optimizer::kLbfgs:
      break;
  }
  // Many small numbers: stop when nothing changes in this precision, not before.
  return std::make_unique<torch::optim::LBFGS>(parameters, torch::optim::LBFGSOptions(rate)
                                                               .max_iter(net.steps)
                                                               .history_size(10)
                                                               .tolerance_grad(1e-9)
                                                               .tolerance_change(1e-12)
                                                               .line_search_fn("strong_wolfe"));
}

/// F as a function of y; remembers where it was least.
class Watch {
 public:
  Watch(const TorchObjective& objective, const at::Tensor& scale, at::Tensor& best)
      : objective_(objective), scale_(scale), start_(best.clone()), best_(best) {}

  double visit(const at::Tensor& y, at::Tensor* gradient) {
    const at::NoGradGuard by_hand;
    const at::Tensor theta = at::addcmul(start_, scale_, y.detach());
    const double value = objective_(theta, gradient);
    if (gradient != nullptr) gradient->mul_(scale_);
    if (std::isfinite(value) && value < least_) {
      best_.copy_(theta);
      least_ = value;
    }
    return value;
  }
  [[nodiscard]] double least() const { return least_; }

 private:
  const TorchObjective& objective_;
  const at::Tensor& scale_;
  at::Tensor start_;
  at::Tensor& best_;
  double least_ = std::numeric_limits<double>::infinity();
};

/// True if the steps ended where F is not finite.
bool take_steps(Watch& watch, const TorchSpec& net, at::Tensor& y, at::Tensor& gradient) {
  const auto optimizer = make_optimizer(net, y);
  if (net.optimizer == Optimizer::kLbfgs) {
    // Its line search may look where F is not finite, and turns away from there.
    optimizer->step([&] { return at::scalar_tensor(watch.visit(y, &gradient), y.options().requires_grad(false)); });
    return !at::isfinite(y).all().item<bool>();
  }
  for (int step = 0; step < net.steps; ++step) {
    if (!std::isfinite(watch.visit(y, &gradient))) return true;
    optimizer->step();
  }
  return !std::isfinite(watch.visit(y, nullptr));
}

}  // namespace

double learning_rate(const TorchSpec& net) {
  return net.learning_rate > 0 ? net.learning_rate : default_learning_rate(net.optimizer);
}

Descent descend(const TorchObjective& objective, const at::Tensor& scale, const TorchSpec& net, at::Tensor& theta) {
  Watch watch(objective, scale, theta);
  at::Tensor y = at::zeros_like(theta).requires_grad_(true);
  at::Tensor gradient = at::zeros_like(theta);
  y.mutable_grad() = gradient;
  bool lost = true;
  try {
    lost = take_steps(watch, net, y, gradient);
  } catch (const std::exception&) {  // numbers that libtorch's optimizers refuse
  }
  return {watch.least(), lost};
}

}  // namespace gtvmin
