#include "gtvmin/solver/steering.h"

#include <algorithm>
#include <cmath>

namespace gtvmin {

namespace {

/// The mean of the eigenvalues of ∇²L(w); 0 if the loss does not know it.
double mean_curvature(const LocalLoss& loss, ConstVectorRef w, Matrix& hessian) {
  const auto d = static_cast<double>(w.size());
  if (const QuadraticForm* form = loss.quadratic_form()) {
    double trace = form->floor * (d - static_cast<double>(form->rank));
    for (Index k = 0; k < form->rank; ++k) trace += form->eigenvalues[k];
    return trace / d;
  }
  if (!loss.has_hessian()) return 0;
  hessian.setZero(w.size(), w.size());
  loss.add_hessian(w, hessian);
  return hessian.trace() / d;
}

}  // namespace

SteeringSums measure_stiffness(const Shard& shard) {
  SteeringSums stiffness;
  Matrix hessian;
  for (Index i = 0; i < shard.owned(); ++i) {
    if (shard.scale_sum[i] == 0) continue;
    stiffness.sums[SteeringSums::kScale].add(shard.scale_sum[i]);
    const double curvature = mean_curvature(shard.problem->loss(shard.nodes[i]), shard.w.col(i), hessian);
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
