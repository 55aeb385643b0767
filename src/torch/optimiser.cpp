#include "optimiser.h"

#include <torch/optim.h>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

namespace gtvmin {
namespace {

double learning_rate(const TorchSpec& net) {
  return net.learning_rate > 0 ? net.learning_rate : default_learning_rate(net.optimizer);
}

std::unique_ptr<torch::optim::Optimizer> make_optimizer(const TorchSpec& net, double rho, const at::Tensor& theta) {
  const double rate = learning_rate(net);
  const std::vector<at::Tensor> parameters = {theta};
  switch (net.optimizer) {
    case Optimizer::kSgd:
      return std::make_unique<torch::optim::SGD>(parameters, torch::optim::SGDOptions(rate / (1 + rate * rho)));
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

/// Looks at an objective and remembers where it was least.
class Watch {
 public:
  Watch(const TorchObjective& objective, at::Tensor& best) : objective_(objective), best_(best) {}

  /// F(θ).
  double visit(const at::Tensor& theta, at::Tensor* gradient) {
    const double value = objective_(theta, gradient);
    if (std::isfinite(value) && (!seen_ || value < least_)) {
      const at::NoGradGuard copies_only;
      best_.copy_(theta);
      least_ = value;
      seen_ = true;
    }
    return value;
  }
  [[nodiscard]] double least() const { return least_; }

 private:
  const TorchObjective& objective_;
  at::Tensor& best_;
  double least_ = std::numeric_limits<double>::infinity();
  bool seen_ = false;
};

}  // namespace

Descent descend(const TorchObjective& objective, double rho, const TorchSpec& net, at::Tensor& theta) {
  at::Tensor moving = theta.detach().clone().requires_grad_(true);
  at::Tensor gradient = at::zeros_like(theta);
  moving.mutable_grad() = gradient;
  Watch watch(objective, theta);
  const auto optimizer = make_optimizer(net, rho, moving);
  if (net.optimizer == Optimizer::kLbfgs) {
    // Its line search may look where F is not finite, and turns away from there.
    optimizer->step([&] { return at::scalar_tensor(watch.visit(moving, &gradient), theta.options()); });
    return {watch.least(), !at::isfinite(moving).all().item<bool>()};
  }
  for (int step = 0; step < net.steps; ++step) {
    if (!std::isfinite(watch.visit(moving, &gradient))) return {watch.least(), true};
    optimizer->step();
  }
  const bool lost = !std::isfinite(watch.visit(moving, nullptr));
  return {watch.least(), lost};
}

}  // namespace gtvmin
