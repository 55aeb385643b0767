#include "gtvmin/solver/steering.h"

#include <algorithm>
#include <cmath>

namespace gtvmin {

SteeringSums measure_stiffness(const Shard& shard) {
  const Index d = shard.problem->dimension();
  SteeringSums stiffness;
  Matrix hessian(d, d);
  for (Index i = 0; i < shard.owned(); ++i) {
    if (shard.scale_sum[i] == 0) continue;
    stiffness.sums[SteeringSums::kScale].add(shard.scale_sum[i]);
    hessian.setZero();
    shard.problem->loss(shard.nodes[i]).add_hessian(shard.w.col(i), hessian);
    const double curvature = hessian.trace() / static_cast<double>(d);
    if (!(curvature > 0)) continue;
    stiffness.sums[SteeringSums::kLogStiffness].add(std::log(shard.scale_sum[i] / curvature));
    stiffness.sums[SteeringSums::kCurvedNodes].add(1);
  }
  return stiffness;
}

PrimalWeight::PrimalWeight(const SteeringSums& stiffness) {
  const double nodes = stiffness[SteeringSums::kCurvedNodes];
  if (nodes > 0) matched_ = std::exp(stiffness[SteeringSums::kLogStiffness] / nodes);
  omega_ = matched_;
}

void PrimalWeight::adapt(const SteeringSums& sums) {
  constexpr double kTolerated = 2;
  const double primal = sums[SteeringSums::kPrimalMove2];
  const double dual = sums[SteeringSums::kDualMove2];
  if (!(primal > 0) || !(dual > 0)) return;
  const double imbalance = std::sqrt(primal / dual) / omega_;
  if (imbalance < kTolerated && imbalance > 1 / kTolerated) return;
  // The exponents are summable: ω converges.
  const double most = std::pow(10.0, std::pow(1 + 0.1 * static_cast<double>(changes_), -1.5));
  omega_ *= std::clamp(std::sqrt(imbalance), 1 / most, most);
  ++changes_;
}

}  // namespace gtvmin
