#include "gtvmin/solver/steering.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <optional>

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

void SteeringSums::add(const SteeringSums& other) {
  for (int k = 0; k < kQuantities; ++k) sums[k].add(other.sums[k]);
  for (int k = 0; k < kMaxima; ++k) maxima[k] = std::max(maxima[k], other.maxima[k]);
}

// Per sum the range of limbs that are not 0: first limb, number of limbs, limbs. Then the maxima. Little-endian.
std::vector<std::uint8_t> pack(const SteeringSums& sums) {
  std::vector<std::uint8_t> bytes;
  const auto put = [&](auto number) {
    const auto bits = std::bit_cast<std::uint64_t>(number);
    for (int k = 0; k < 8; ++k) bytes.push_back(static_cast<std::uint8_t>(bits >> (8 * k)));
  };
  for (const ExactSum& sum : sums.sums) {
    const ExactSum::Limbs limbs = sum.limbs();
    const auto is_used = [](std::int64_t limb) { return limb != 0; };
    const auto* const first = std::find_if(limbs.begin(), limbs.end(), is_used);
    const auto* const last = std::find_if(limbs.rbegin(), std::make_reverse_iterator(first), is_used).base();
    bytes.push_back(static_cast<std::uint8_t>(first - limbs.begin()));
    bytes.push_back(static_cast<std::uint8_t>(last - first));
    std::for_each(first, last, put);
  }
  for (const double maximum : sums.maxima) put(maximum);
  return bytes;
}

Result<SteeringSums> unpack(std::span<const std::uint8_t> bytes) {
  const Error damaged = bad_input("sums that were not packed as sums");
  std::size_t at = 0;
  const auto get = [&] {
    std::uint64_t bits = 0;
    for (int k = 0; k < 8; ++k) bits |= static_cast<std::uint64_t>(bytes[at++]) << (8 * k);
    return bits;
  };
  SteeringSums sums;
  for (ExactSum& sum : sums.sums) {
    if (bytes.size() < at + 2) return damaged;
    const std::size_t first = bytes[at];
    const std::size_t count = bytes[at + 1];
    at += 2;
    if (first + count > ExactSum::kLimbs || bytes.size() < at + 8 * count) return damaged;
    ExactSum::Limbs limbs{};
    for (std::size_t k = first; k < first + count; ++k) limbs[k] = std::bit_cast<std::int64_t>(get());
    const std::optional<ExactSum> known = ExactSum::from_limbs(limbs);
    if (!known) return damaged;
    sum = *known;
  }
  if (bytes.size() != at + 8 * sums.maxima.size()) return damaged;
  for (double& maximum : sums.maxima) maximum = std::bit_cast<double>(get());
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
