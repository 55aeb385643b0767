#pragma once

#include <span>

#include "gtvmin/loss/local_loss.h"

namespace gtvmin {

/// L(w_c) = min over w_p of full(w_c, w_p): the loss in the coupled parameters once the private ones are at their best.
///
/// `coupled` are positions in ascending order, not all of them. Quadratic losses stay quadratic (Schur complement);
/// others need a Hessian, and an inner Newton method finds w_p, with a ridge of 1e-9 of their curvature at 0 so that it
/// exists. Null for losses without Hessian, or not finite at 0.
[[nodiscard]] LossPtr profile_loss(LossPtr full, std::span<const Index> coupled);

}  // namespace gtvmin
