#pragma once

#include <ATen/ATen.h>

#include <functional>

#include "gtvmin/torch/torch_model.h"

namespace gtvmin {

/// F(θ); fills the gradient if it is asked for (not null). Not finite where F is not defined.
using TorchObjective = std::function<double(const at::Tensor& theta, at::Tensor* gradient)>;

struct Descent {
  double value = 0;   ///< F at the best point
  bool lost = false;  ///< F became infinite or undefined on the way, and the steps ended there
};

/// Runs net.steps steps of the optimizer on F from θ; on return θ is the best point that was seen, so F never rises.
/// The optimizer works on y with θ = θ₀ + Sy, S diagonal. With S² = 1/(1 + ηρ) where the proximity term of weight ρ
/// pulls and the learning rate is η, a plain gradient step takes that term exactly and is stable for every ρ.
Descent descend(const TorchObjective& objective, const at::Tensor& scale, const TorchSpec& net, at::Tensor& theta);

[[nodiscard]] double learning_rate(const TorchSpec& net);

}  // namespace gtvmin
