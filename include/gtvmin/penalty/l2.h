#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "gtvmin/base/lanes.h"
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
/// `d` is a number or a std::integral_constant (then loops unroll); `scratch` has d numbers. Sums run in a
/// fixed order, so results have the same bits wherever the vectors lie in memory.
///
/// φ(v) = ‖v‖₂, the network lasso.
struct L2Penalty {
  static constexpr bool kIsNorm = true;

  template <class Dim>
  static double norm(const double* v, Dim d) {
    return std::sqrt(inner_product(v, v, d));
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
    return std::max(0.0, kappa * norm(v, d) - inner_product(u, v, d));
  }
  template <class Dim>
  void dual_update(double* x, Dim d, double kappa, double /*sigma*/, double* /*scratch*/) const {
    // Without a branch: which edges are saturated is hard to foresee. Inside the ball the factor is κ/√κ², which is
    // exactly 1.
    const double least = std::max(kappa * kappa, std::numeric_limits<double>::min());
    const double shrink = kappa / std::sqrt(std::max(inner_product(x, x, d), least));
    for_lanes(d, [&](Index j, auto lanes) { store(x + j, shrink * load<decltype(lanes)>(x + j)); });
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
    const double along = inner_product(x, dx, d) / (length * length);
    for (Index j = 0; j < d; ++j) out[j] = kappa / length * (dx[j] - along * x[j]);
  }
};

}  // namespace gtvmin
