#pragma once

#include <algorithm>
#include <cmath>

#include "gtvmin/base/lanes.h"
#include "gtvmin/base/types.h"

namespace gtvmin {

/// φ(v) = ‖v‖₁; the dual update clips each coordinate to [−κ, κ]. Interface: see L2Penalty.
struct L1Penalty {
  static constexpr bool kIsNorm = true;

  template <class Dim>
  [[nodiscard]] double value(const double* v, Dim d) const {
    double sum = 0;
    for (Index j = 0; j < d; ++j) sum += std::abs(v[j]);
    return sum;
  }
  template <class Dim>
  [[nodiscard]] double dual_norm(const double* u, Dim d) const {
    double largest = 0;
    for (Index j = 0; j < d; ++j) largest = std::max(largest, std::abs(u[j]));
    return largest;
  }
  template <class Dim>
  [[nodiscard]] double fenchel_young(const double* v, const double* u, Dim d, double kappa, double* /*scratch*/) const {
    double sum = 0;
    for (Index j = 0; j < d; ++j) sum += std::max(0.0, kappa * std::abs(v[j]) - u[j] * v[j]);
    return sum;
  }
  template <class Dim>
  void dual_update(double* x, Dim d, double kappa, double /*sigma*/, double* /*scratch*/) const {
    for_lanes(d, [&](Index j, auto lanes) {
      lanes = load<decltype(lanes)>(x + j);
      lanes = lanes > kappa ? kappa : lanes;
      lanes = lanes < -kappa ? -kappa : lanes;
      store(x + j, lanes);
    });
  }
  template <class Dim>
  void dual_jvp(const double* x, Dim d, double kappa, double /*sigma*/, const double* dx, double* out,
                double* /*scratch*/) const {
    for (Index j = 0; j < d; ++j) out[j] = std::abs(x[j]) <= kappa ? dx[j] : 0.0;
  }
};

}  // namespace gtvmin
