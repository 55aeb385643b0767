#include "gtvmin/solver/steering.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "gtvmin/base/bytes.h"

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
  if (const SampleForm* form = loss.sample_form();
      form != nullptr && form->link == Link::kAbsolute && form->samples > 0) {
    // |r| bends by about 1/|y| over the range of its labels, which makes ω independent of units.
    const Eigen::Map<const Matrix> x(form->features, form->dimension, form->samples);
    const Eigen::Map<const Vector> y(form->labels, form->samples);
    const double size = std::sqrt(y.squaredNorm() / static_cast<double>(form->samples));
    return size > 0 ? form->weight * x.squaredNorm() / size / static_cast<double>(form->dimension) : 0;
  }
  if (!loss.has_hessian()) return 0;
  hessian.setZero(w.size(), w.size());
  loss.add_hessian(w, hessian);
  return hessian.trace() / d;
}

/// Between columns; in one order of additions, wherever the columns lie in memory.
double squared_distance(const Matrix& a, const Matrix& b, Index column) {
  double sum = 0;
  for (Index k = 0; k < a.rows(); ++k) {
    const double difference = a(k, column) - b(k, column);
    sum += difference * difference;
  }
  return sum;
}

}  // namespace

void SteeringSums::add(const SteeringSums& other) {
  for (int k = 0; k < kQuantities; ++k) sums[k].add(other.sums[k]);
  for (int k = 0; k < kMaxima; ++k) maxima[k] = std::max(maxima[k], other.maxima[k]);
}

// Per sum the range of limbs that are not 0: first limb, number of limbs, limbs. Then the maxima.
std::string pack(const SteeringSums& sums) {
  ByteWriter out;
  for (const ExactSum& sum : sums.sums) {
    const ExactSum::Limbs limbs = sum.limbs();
    const auto is_used = [](std::int64_t limb) { return limb != 0; };
    const auto* const first = std::find_if(limbs.begin(), limbs.end(), is_used);
    const auto* const last = std::find_if(limbs.rbegin(), std::make_reverse_iterator(first), is_used).base();
    out.integer(first - limbs.begin());
    out.integer(last - first);
    std::for_each(first, last, [&](std::int64_t limb) { out.integer(limb); });
  }
  out.reals(sums.maxima);
  return out.take();
}

Result<SteeringSums> unpack(std::string_view bytes) {
  const Error damaged = bad_input("sums that were not packed as sums");
  ByteReader in(bytes);
  SteeringSums sums;
  for (ExactSum& sum : sums.sums) {
    const std::int64_t first = in.integer();
    const std::int64_t count = in.integer();
    if (first < 0 || count < 0 || first > ExactSum::kLimbs || count > ExactSum::kLimbs - first) return damaged;
    ExactSum::Limbs limbs{};
    for (std::int64_t k = first; k < first + count; ++k) limbs[k] = in.integer();
    const std::optional<ExactSum> known = ExactSum::from_limbs(limbs);
    if (!known) return damaged;
    sum = *known;
  }
  in.reals(sums.maxima);
  if (!in.ok() || !in.at_end()) return damaged;
  return sums;
}

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

void add_displacement(const Shard& shard, SteeringSums& sums) {
  for (Index i = 0; i < shard.owned(); ++i) {
    const double shift2 = squared_distance(shard.w, shard.w_window, i);
    sums.sums[SteeringSums::kPrimalShift2].add(shard.scale_sum[i] * shift2);
  }
  for (std::size_t k = 0; k + 1 < shard.runs.size(); ++k) {
    if (shard.runs[k].slot < 0) continue;  // another shard counts these edges
    double shift2 = 0;
    for (EdgeId e = shard.runs[k].first; e < shard.runs[k + 1].first; ++e) {
      shift2 += 2 / shard.scale(e) * squared_distance(shard.u, shard.u_window, e);
    }
    sums.sums[SteeringSums::kDualShift2].add(shift2);
  }
}

PrimalWeight::PrimalWeight(const SteeringSums& stiffness) {
  const double nodes = stiffness[SteeringSums::kCurvedNodes];
  if (nodes > 0) state_.omega = std::exp(stiffness[SteeringSums::kLogStiffness] / nodes);
}

void PrimalWeight::adapt(const SteeringSums& sums, std::int64_t iteration, const SolverTuning& tuning) {
  auto& [omega, window_end, changes] = state_;
  const auto window = static_cast<std::int64_t>(tuning.window_fraction * static_cast<double>(iteration));
  window_end = iteration + std::max(tuning.least_window, window);
  const double primal = sums[SteeringSums::kPrimalShift2];
  const double dual = sums[SteeringSums::kDualShift2];
  if (!(primal > 0) || !(dual > 0)) return;
  const double ratio = std::sqrt(primal / dual) / omega;
  omega *= std::clamp(std::pow(ratio, tuning.weight_exponent), 1 / tuning.weight_change, tuning.weight_change);
  ++changes;
}

}  // namespace gtvmin
