#pragma once

#include <cstdint>
#include <vector>

#include "gtvmin/base/types.h"
#include "gtvmin/second_order/contraction.h"

namespace gtvmin {

/// True if every loss and the penalty know their curvature, so that minimise_by_newton can be used.
[[nodiscard]] bool has_curvature(const Problem& problem);

struct NewtonResult {
  Matrix w;  ///< d × groups
  Matrix u;  ///< d × contracted edges, feasible
  /// Per contracted edge: whether the two groups are fused at the solution (norm penalties).
  std::vector<char> fused;
  std::int64_t steps = 0;
  bool converged = false;  ///< both residuals are at the level of rounding
};

/// Operations that one Newton step on this contraction takes, for budgets.
[[nodiscard]] double newton_step_work(const Contraction& contraction);

/// Solves the contracted problem to rounding level from a start (w, u): an augmented Lagrangian method whose smooth
/// subproblems
///     min_w Σ_c L_c(w_c) + Σ_e max_z ⟨z, (Dw)_e⟩ − κφ*(z/κ) − ‖z − u_e‖²/(2σ)
/// are solved by a semismooth Newton method. Gradient: ∇L(w) + DᵀΠ(u + σDw); Hessian: ∇²L + σDᵀΠ'D, Π the dual update.
/// Ends where the objective is within the fraction `enough` of the contracted optimum (0: at rounding level), or after
/// `most_steps` Newton steps with what it has.
[[nodiscard]] NewtonResult minimise_by_newton(const Contraction& contraction, Matrix w, Matrix u,
                                              std::int64_t most_steps, double enough = 0);

}  // namespace gtvmin
