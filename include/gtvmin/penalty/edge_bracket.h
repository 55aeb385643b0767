#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "gtvmin/penalty/penalty.h"

namespace gtvmin {

/// φ(v) in extended precision where the penalty has a formula.
template <class PenaltyType>
[[nodiscard]] long double penalty_value(const PenaltyType& penalty, const long double* v, Index d) {
  long double sum = 0;
  if constexpr (std::is_same_v<PenaltyType, L1Penalty>) {
    for (Index j = 0; j < d; ++j) sum += std::abs(v[j]);
    return sum;
  } else if constexpr (std::is_same_v<PenaltyType, LinfPenalty>) {
    for (Index j = 0; j < d; ++j) sum = std::max(sum, std::abs(v[j]));
    return sum;
  } else if constexpr (std::is_same_v<PenaltyType, L2Penalty> || std::is_same_v<PenaltyType, SquaredL2Penalty>) {
    for (Index j = 0; j < d; ++j) sum += v[j] * v[j];
    return PenaltyType::kIsNorm ? std::sqrt(sum) : sum / 2;
  } else {
    const std::vector<double> rounded(v, v + d);
    return penalty.value(rounded.data(), d);
  }
}

/// κφ(v) + κφ*(u/κ) − ⟨u, v⟩ ≥ 0 for a flow u within its domain, in extended precision where the penalty has a formula.
/// `scratch` has d numbers.
template <class PenaltyType>
[[nodiscard]] long double edge_bracket(const PenaltyType& penalty, const long double* v, const double* u, Index d,
                                       double kappa, double* scratch) {
  if constexpr (PenaltyType::kIsNorm) {
    long double inner = 0;
    for (Index j = 0; j < d; ++j) inner += u[j] * v[j];
    return std::max(0.0L, kappa * penalty_value(penalty, v, d) - inner);
  } else if constexpr (std::is_same_v<PenaltyType, SquaredL2Penalty>) {
    long double sum = 0;
    for (Index j = 0; j < d; ++j) sum += (u[j] - kappa * v[j]) * (u[j] - kappa * v[j]);
    return sum / (2 * kappa);
  } else {
    const std::vector<double> rounded(v, v + d);
    return penalty.fenchel_young(rounded.data(), u, d, kappa, scratch);
  }
}

}  // namespace gtvmin
