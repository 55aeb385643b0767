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
/// `rho` is the weight of F's proximity term. Plain gradient steps have the length η/(1 + ηρ) for the learning rate η,
/// which is the step that takes the proximity term exactly: stable for every ρ.
Descent descend(const TorchObjective& objective, double rho, const TorchSpec& net, at::Tensor& theta);

}  // namespace gtvmin
