#pragma once

#include <string>

#include "gtvmin/base/types.h"
#include "gtvmin/loss/local_loss.h"
#include "gtvmin/penalty/penalty.h"

namespace gtvmin {

/// Why the analysis cannot be applied to a loss, as the end of a sentence about it; empty if it can. It needs losses
/// that are convex and differentiable, with a Hessian that is constant (quadratic losses) or known sample by sample
/// (logistic, Poisson).
[[nodiscard]] std::string analysis_refusal(const LocalLoss& loss);

/// The same for a penalty, which must be a norm.
[[nodiscard]] std::string analysis_refusal(const Penalty& penalty);

/// Two matrices with lower ≼ ∇²L(w) ≼ upper for every w with ‖w − centre‖ ≤ radius, in the norm of the penalty.
///
/// Quadratic losses: the Hessian itself. Logistic and Poisson losses: the curvature h of a sample satisfies
/// |d log h/dz| ≤ 1 in its score z, so that h(z̄)e^{−rs} ≤ h(z) ≤ h(z̄)e^{rs} with s = ‖x‖_*; a logistic one is at most ¼
/// too. `radius` is finite.
struct HessianBounds {
  Matrix lower;
  Matrix upper;
};
[[nodiscard]] HessianBounds hessian_bounds(const LocalLoss& loss, const Penalty& penalty, ConstVectorRef centre,
                                           double radius);

/// The largest ‖x‖_* of the samples of a loss whose Hessian is not constant; 0 for any other.
[[nodiscard]] double largest_feature_norm(const LocalLoss& loss, const Penalty& penalty);

}  // namespace gtvmin
