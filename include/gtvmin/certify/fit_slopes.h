#pragma once

#include "gtvmin/base/thread_team.h"
#include "gtvmin/base/types.h"
#include "gtvmin/certify/dual_point.h"
#include "gtvmin/problem/sample_problem.h"

namespace gtvmin {

/// Slopes of the samples of one node, within their domain, with which its loss answers a flow: y = Σ_r weight p_r x_r +
/// stiffness ∘ q comes near −s, s = (Dᵀu)_i in all parameters, while the gap at w stays small. By Newton's method on
/// L(w) + ⟨s, w⟩, kinks smoothed. Directions in which the loss is flat are left over. `p` has a number per sample, `q`
/// one per parameter (unused without a quadratic term).
void fit_slopes(const SampleForm& form, const double* w, const Vector& s, double* p, double* q);

/// A dual point with the flow u: slopes fitted at every node. Without contraction; w in all parameters.
[[nodiscard]] DualPoint fit_dual(const SampleProblem& problem, const Matrix& w, Matrix u, ThreadTeam& team);

}  // namespace gtvmin
