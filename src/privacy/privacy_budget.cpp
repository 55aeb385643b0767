#include "gtvmin/privacy/privacy_budget.h"

#include <fmt/format.h>

#include <cassert>
#include <cmath>
#include <limits>

namespace gtvmin {
namespace {

constexpr double kGone = 0.01;

/// To four digits.
double rounded_up(double number) {
  const double power = std::floor(std::log10(number)) - 3;
  // Powers of ten above 1 are exact: so is what a person reads.
  const double unit = std::pow(10.0, std::abs(power));
  return power < 0 ? std::ceil(number * unit) / unit : std::ceil(number / unit) * unit;
}

}  // namespace

Result<PrivacyBudget> PrivacyBudget::make(double epsilon, double delta) {
  if (!std::isfinite(epsilon) || epsilon <= 0) return usage_error(fmt::format("epsilon must be > 0, not {}", epsilon));
  if (!(delta > 0 && delta < 1)) return usage_error(fmt::format("delta must be > 0 and < 1, not {}", delta));
  return PrivacyBudget(epsilon, delta);
}

Status PrivacyBudget::spend(double noise_multiplier, std::int64_t vectors) {
  assert(vectors >= 0);
  if (vectors > left(noise_multiplier)) {
    return bad_input(
        fmt::format("the privacy budget is exhausted: {} vectors have been sent (epsilon {:.6g} of {:.6g} at delta "
                    "{:g}), and {} more would exceed it",
                    released_, spent(), epsilon_, delta_, vectors));
  }
  accountant_.add(noise_multiplier, vectors);
  released_ += vectors;
  return Unit{};
}

double PrivacyBudget::least_multiplier(std::int64_t vectors) const {
  assert(vectors > 0);
  if (accountant_.share_left(epsilon_, delta_) < kGone) return std::numeric_limits<double>::infinity();
  double multiplier = rounded_up(accountant_.least_multiplier(vectors, epsilon_, delta_));
  constexpr double kSlightlyMore = 1 + 1e-4;  // where rounding has left nothing to round up
  while (std::isfinite(multiplier) && left(multiplier) < vectors) multiplier = rounded_up(multiplier * kSlightlyMore);
  return multiplier;
}

}  // namespace gtvmin
