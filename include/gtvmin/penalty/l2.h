#pragma once

#include <algorithm>
#include <cmath>

#include "gtvmin/base/types.h"

namespace gtvmin {

/// The interface of every penalty φ: ℝᵈ → ℝ, convex, symmetric, φ(0) = 0. `kappa` is the edge's weight κ = λA_e ≥ 0.
///
///   value(v)                        φ(v)
///   fenchel_young(v, u, κ)          κφ(v) + κφ*(u/κ) − ⟨u, v⟩ ≥ 0 for feasible u, without cancellation where possible
///   dual_update(x, κ, σ)            x ← argmin_z κφ*(z/κ) + ‖x − z‖²/(2σ), the paper's dual update
///   dual_jvp(x, κ, σ, dx, out)      out = J dx, J a (generalised) Jacobian of dual_update at x
///   dual_norm(u)                    norms only: the norm whose κ-ball holds the feasible flows
///
/// `d` is a number or a std::integral_constant (then loops unroll); `scratch` has d numbers. Summation runs in index
/// order, so results have the same bits wherever the vectors lie in memory.
///
/// φ(v) = ‖v‖₂, the network lasso.
struct L2Penalty {
  static constexpr bool kIsNorm = true;

  template <class Dim>
  static double norm(const double* v, Dim d) {
    double sum = 0;
    for (Index j = 0; j < d; ++j) sum += v[j] * v[j];
    return std::sqrt(sum);
  }

  template <class Dim>
  [[nodiscard]] double value(const double* v, Dim d) const {
    return norm(v, d);
  }
  template <class Dim>
  [[nodiscard]] double dual_norm(const double* u, Dim d) const {
    return norm(u, d);
  }
  template <class Dim>
  [[nodiscard]] double fenchel_young(const double* v, const double* u, Dim d, double kappa, double* /*scratch*/) const {
    double inner = 0;
    for (Index j = 0; j < d; ++j) inner += u[j] * v[j];
    return std::max(0.0, kappa * norm(v, d) - inner);
  }
  template <class Dim>
  void dual_update(double* x, Dim d, double kappa, double /*sigma*/, double* /*scratch*/) const {
    const double length = norm(x, d);
    if (length <= kappa) return;
    const double shrink = kappa / length;
    for (Index j = 0; j < d; ++j) x[j] *= shrink;
  }
  /// Outside the ball the projection turns with x: J = (κ/‖x‖)(I − x xᵀ/‖x‖²).
  template <class Dim>
  void dual_jvp(const double* x, Dim d, double kappa, double /*sigma*/, const double* dx, double* out,
                double* /*scratch*/) const {
    const double length = norm(x, d);
    if (length <= kappa) {
      for (Index j = 0; j < d; ++j) out[j] = dx[j];
      return;
    }
    double along = 0;
    for (Index j = 0; j < d; ++j) along += x[j] * dx[j];
    along /= length * length;
    for (Index j = 0; j < d; ++j) out[j] = kappa / length * (dx[j] - along * x[j]);
  }
};

}  // namespace gtvmin
