#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "gtvmin/base/types.h"

namespace gtvmin {

/// Minimises F(z) = L(z) + ½ Σ_j ρ_j (z_j − v_j)² by Newton's method, damped by backtracking, until ‖∇F(z)‖ ≤ tolerance
/// or rounding, in at most kMostSteps steps of at most 34 evaluations. `rho` is a vector expression that weighs
/// coordinates. Never leaves z where F is not finite, unless F is finite neither there nor at v and `fallback`; then z
/// = `fallback`.
///
/// `loss` has value and gradient; `newton(z, g, step)` sets step = (∇²L(z) + ρ)⁻¹ g, or something like it. z comes in
/// as a warm start; if it leads nowhere, v or `fallback` takes its place. `memory` has three vectors.
template <class Loss, class Rho, class Fallback, class Newton>
void proximal_newton(const Loss& loss, ConstVectorRef v, const Rho& rho, const Fallback& fallback, double tolerance,
                     VectorRef z, Eigen::Ref<Matrix> memory, const Newton& newton) {
  auto gradient = memory.col(0);
  auto step = memory.col(1);
  auto trial = memory.col(2);
  const auto pulled = [&](const auto& point) { return rho.cwiseProduct(point - v); };
  const auto objective = [&](const auto& point) { return loss.value(point) + (point - v).dot(pulled(point)) / 2; };

  double current = objective(z);
  const auto take_if_better = [&](const auto& start) {
    trial = start;
    const double there = objective(trial);
    if (std::isfinite(current) && !(there < current)) return;
    z = trial;
    current = there;
  };

  constexpr int kMostSteps = 200;
  constexpr int kPatience = 20;
  for (int iteration = 0; iteration < kMostSteps; ++iteration) {
    if (!std::isfinite(current) || iteration == kPatience) {
      take_if_better(v);
      take_if_better(fallback);
    }
    loss.gradient(z, gradient);
    const double loss_slope = gradient.norm();
    gradient += pulled(z);
    const double slope = gradient.norm();
    const double rounding = 4 * std::numeric_limits<double>::epsilon() * (pulled(z).norm() + loss_slope);
    if (slope <= std::max(tolerance, rounding)) return;
    newton(z, gradient, step);
    if (!step.allFinite()) return;
    const double decrease = gradient.dot(step);
    bool lower = false;
    const double shortest = decrease > 1e-13 * std::abs(current) ? 1e-10 : 2;
    for (double length = 1; length > shortest && !lower; length /= 2) {
      trial = z - length * step;
      const double next = objective(trial);
      lower = next <= current - 1e-4 * length * decrease;
      if (lower) current = next;
    }
    if (lower) {
      z = trial;
      continue;
    }
    // Where the objective can no longer tell, full Newton steps are good as long as the gradient shrinks.
    trial = z - step;
    loss.gradient(trial, gradient);
    const double next_slope = (gradient + pulled(trial)).norm();
    if (next_slope < slope && std::isfinite(objective(trial))) z = trial;
    if (!(next_slope < slope / 2)) return;
    current = objective(z);
  }
}

}  // namespace gtvmin
