#include "gtvmin/certify/node_share.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gtvmin {
namespace {
constexpr double kRoundOff = std::numeric_limits<double>::epsilon();
}

double subgradient_by_prox(const LocalLoss& loss, ConstVectorRef w, ConstVectorRef target, VectorRef y) {
  // Which ρ is best depends on how far off w is.
  Vector scratch(loss.scratch_size());
  Vector local(w.size());
  loss.gradient(w, local);
  const double size = target.norm() + local.norm();
  const double reach = std::max(w.norm(), std::numeric_limits<double>::min());
  const double value = loss.value(w);
  double least = std::numeric_limits<double>::infinity();
  double excess = 0;
  for (const double factor : {1e-3, 1.0, 1e3}) {
    const double rho = std::max(factor * size / reach, std::numeric_limits<double>::min());
    Vector z = w;
    loss.prox(w + target / rho, rho, 0, z, scratch);
    Vector candidate = target + rho * (w - z);
    if (loss.is_smooth()) loss.gradient(z, candidate);
    const double value_there = loss.value(z);
    const double rounding = 8 * kRoundOff * (std::abs(value) + std::abs(value_there));
    const double cost = std::max(0.0, value - value_there - candidate.dot(w - z)) + rounding;
    const double total = cost + (candidate - target).norm() * reach;
    if (!(total < least)) continue;
    least = total;
    excess = cost;
    y = candidate;
  }
  if (std::isfinite(least)) return excess;
  y = local;
  return loss.is_smooth() ? 0 : least;
}

NodeShare node_share(const LocalLoss& loss, ConstVectorRef w, ConstVectorRef s) {
  Vector y(w.size());
  loss.gradient(w, y);
  NodeShare share;
  share.gradient = y.norm();
  share.residual = (y + s).norm();
  if (loss.bounds_hessian_steps()) {
    Vector p(w.size());
    Vector step(w.size());
    loss.solve_hessian(w, -(y + s), p);
    const double gap = loss.fenchel_young_bound(w, p, 1);
    if (std::isfinite(gap)) {  // otherwise y stays the gradient at w, with which there is no gap
      loss.apply_hessian(w, p, step);
      y += step;
      share.gap = gap;
    }
  } else {
    share.gap = subgradient_by_prox(loss, w, -s, y);
  }
  share.miss = (y + s).norm();
  share.size = share.gradient + y.norm();
  share.gap += kRoundOff * (std::abs(loss.value(w)) + y.norm() * w.norm());
  return share;
}

}  // namespace gtvmin
