#pragma once

#include <limits>

#include "gtvmin/base/types.h"
#include "gtvmin/penalty/penalty.h"

namespace gtvmin {

// Constants of the analysis for a norm penalty φ = ‖·‖ with dual norm ‖·‖_*. All are bounds on the safe side: rounding
// and enumerations that would take too long make them larger or smaller, as the name says.

/// ‖v‖.
[[nodiscard]] double norm_of(const Penalty& penalty, ConstVectorRef v);
/// ‖u‖_*.
[[nodiscard]] double dual_norm_of(const Penalty& penalty, ConstVectorRef u);

/// At least β = max over ‖v‖ = 1 of ‖Hv‖_*, H symmetric positive semidefinite: the Lipschitz constant of a gradient.
[[nodiscard]] double smoothness_constant(const Penalty& penalty, const Matrix& hessian);

/// By how much rounding may have changed the eigenvalues of a d × d matrix.
[[nodiscard]] inline double eigenvalue_rounding(double largest_eigenvalue, Index d) {
  return 16 * static_cast<double>(d) * std::numeric_limits<double>::epsilon() * largest_eigenvalue;
}

/// H⁻¹ on the range of H, and what is known about H.
struct SpectralInverse {
  Matrix inverse;      ///< H⁺: directions with an eigenvalue at rounding level are left out
  double largest = 0;  ///< eigenvalue
  double least = 0;    ///< eigenvalue, without what rounding may have added; 0: H is singular to rounding
  /// By which fraction rounding may have changed `inverse`.
  double error = 0;
};
[[nodiscard]] SpectralInverse spectral_inverse(const Matrix& hessian);

/// At most α = min over ‖v‖ = 1 of vᵀHv, the modulus of strong convexity; 0 if H is singular to rounding.
[[nodiscard]] double strong_convexity_constant(const Penalty& penalty, const SpectralInverse& hessian);

/// At least ‖M‖_{*→*} = max over ‖u‖_* = 1 of ‖Mu‖_*; equal to it up to rounding.
[[nodiscard]] double dual_operator_norm(const Penalty& penalty, const Matrix& m);
/// The same in d² operations, not always attained for the Euclidean norm.
[[nodiscard]] double dual_operator_norm_bound(const Penalty& penalty, const Matrix& m);

}  // namespace gtvmin
