#pragma once

#include "gtvmin/base/types.h"

namespace gtvmin {

/// φ(v) = ½‖v‖², the penalty of MOCHA; smooth, so nothing fuses. Interface: see L2Penalty.
struct SquaredL2Penalty {
  static constexpr bool kIsNorm = false;

  template <class Dim>
  [[nodiscard]] double value(const double* v, Dim d) const {
    double sum = 0;
    for (Index j = 0; j < d; ++j) sum += v[j] * v[j];
    return sum / 2;
  }
  /// = ‖u − κv‖²/(2κ).
  template <class Dim>
  [[nodiscard]] double fenchel_young(const double* v, const double* u, Dim d, double kappa, double* /*scratch*/) const {
    if (kappa == 0) return 0;
    double sum = 0;
    for (Index j = 0; j < d; ++j) sum += (u[j] - kappa * v[j]) * (u[j] - kappa * v[j]);
    return sum / (2 * kappa);
  }
  /// κ∇φ(v): the one flow with which a smooth penalty and its conjugate agree.
  template <class Dim>
  void smooth_flow(const double* v, Dim d, double kappa, double* out, double* /*scratch*/) const {
    for (Index j = 0; j < d; ++j) out[j] = kappa * v[j];
  }
  template <class Dim>
  void dual_update(double* x, Dim d, double kappa, double sigma, double* /*scratch*/) const {
    const double shrink = kappa / (kappa + sigma);
    for (Index j = 0; j < d; ++j) x[j] *= shrink;
  }
  template <class Dim>
  void dual_jvp(const double* /*x*/, Dim d, double kappa, double sigma, const double* dx, double* out,
                double* /*scratch*/) const {
    const double shrink = kappa / (kappa + sigma);
    for (Index j = 0; j < d; ++j) out[j] = shrink * dx[j];
  }
};

}  // namespace gtvmin
