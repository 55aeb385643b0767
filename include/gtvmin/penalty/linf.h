#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

#include "gtvmin/base/types.h"

namespace gtvmin {

/// φ(v) = ‖v‖_∞; the dual update projects onto the ℓ1 ball of radius κ. Interface: see L2Penalty.
struct LinfPenalty {
  static constexpr bool kIsNorm = true;

  template <class Dim>
  [[nodiscard]] double value(const double* v, Dim d) const {
    double largest = 0;
    for (Index j = 0; j < d; ++j) largest = std::max(largest, std::abs(v[j]));
    return largest;
  }
  template <class Dim>
  [[nodiscard]] double dual_norm(const double* u, Dim d) const {
    double sum = 0;
    for (Index j = 0; j < d; ++j) sum += std::abs(u[j]);
    return sum;
  }
  template <class Dim>
  [[nodiscard]] double fenchel_young(const double* v, const double* u, Dim d, double kappa, double* /*scratch*/) const {
    double inner = 0;
    for (Index j = 0; j < d; ++j) inner += u[j] * v[j];
    return std::max(0.0, kappa * value(v, d) - inner);
  }
  template <class Dim>
  void dual_update(double* x, Dim d, double kappa, double /*sigma*/, double* scratch) const {
    const double threshold = soft_threshold(x, d, kappa, scratch);
    if (threshold == 0) return;
    Index largest = 0;
    for (Index j = 1; j < d; ++j) largest = std::abs(x[j]) > std::abs(x[largest]) ? j : largest;
    const double sign = x[largest];
    double sum = 0;
    for (Index j = 0; j < d; ++j) {
      x[j] = std::copysign(std::max(0.0, std::abs(x[j]) - threshold), x[j]);
      sum += std::abs(x[j]);
    }
    // Where κ is small beside x, what is left above the threshold is rounding.
    if (sum == 0) x[largest] = std::copysign(kappa, sign);
    if (sum <= kappa) return;
    for (Index j = 0; j < d; ++j) x[j] *= kappa / sum;
  }
  /// On the support S of the projection J = I − s sᵀ/|S| with the signs s; zero off it.
  template <class Dim>
  void dual_jvp(const double* x, Dim d, double kappa, double /*sigma*/, const double* dx, double* out,
                double* scratch) const {
    const double threshold = soft_threshold(x, d, kappa, scratch);
    if (threshold == 0) {
      for (Index j = 0; j < d; ++j) out[j] = dx[j];
      return;
    }
    double along = 0;
    Index support = 0;
    for (Index j = 0; j < d; ++j) {
      if (std::abs(x[j]) <= threshold) continue;
      along += x[j] > 0 ? dx[j] : -dx[j];
      ++support;
    }
    if (support > 0) along /= static_cast<double>(support);
    for (Index j = 0; j < d; ++j) {
      out[j] = std::abs(x[j]) <= threshold ? 0.0 : dx[j] - (x[j] > 0 ? along : -along);
    }
  }

 private:
  /// The t ≥ 0 with Σ max(0, |x_j| − t) = κ, or 0 if x lies in the ball.
  template <class Dim>
  static double soft_threshold(const double* x, Dim d, double kappa, double* scratch) {
    double sum = 0;
    for (Index j = 0; j < d; ++j) {
      scratch[j] = std::abs(x[j]);
      sum += scratch[j];
    }
    if (sum <= kappa) return 0;
    std::sort(scratch, scratch + d, std::greater<>());
    double above = 0;
    double threshold = scratch[0];
    for (Index j = 0; j < d; ++j) {
      above += scratch[j];
      const double candidate = (above - kappa) / static_cast<double>(j + 1);
      if (candidate >= scratch[j]) break;
      threshold = candidate;
    }
    return threshold;
  }
};

}  // namespace gtvmin
