#pragma once

#include <vector>

#include "gtvmin/loss/local_loss.h"

namespace gtvmin {

/// Σ_k L_k(w) of smooth convex losses with a Hessian, all of one dimension, at least one. They must outlive the sum.
/// The sum of quadratic losses is quadratic.
[[nodiscard]] LossPtr sum_loss(std::vector<const LocalLoss*> losses);

}  // namespace gtvmin
