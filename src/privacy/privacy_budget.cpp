#include "gtvmin/privacy/privacy_budget.h"

#include <fmt/format.h>

#include <cassert>
#include <cmath>

namespace gtvmin {

PrivacyBudget::PrivacyBudget(const RenyiAccountant& accountant, double epsilon, double delta, std::int64_t released)
    : accountant_(accountant),
      epsilon_(epsilon),
      delta_(delta),
      released_(released),
      allowed_(accountant.releases_within(epsilon, delta)) {}

Result<PrivacyBudget> PrivacyBudget::make(double noise_multiplier, double epsilon, double delta,
                                          std::int64_t released) {
  if (!std::isfinite(noise_multiplier) || noise_multiplier <= 0) {
    return usage_error(fmt::format("the noise multiplier must be > 0, not {}", noise_multiplier));
  }
  if (!std::isfinite(epsilon) || epsilon <= 0) return usage_error(fmt::format("epsilon must be > 0, not {}", epsilon));
  if (!(delta > 0 && delta < 1)) return usage_error(fmt::format("delta must be > 0 and < 1, not {}", delta));
  if (released < 0) return usage_error(fmt::format("{} vectors cannot have been sent", released));
  return PrivacyBudget(RenyiAccountant(noise_multiplier), epsilon, delta, released);
}

Status PrivacyBudget::spend(std::int64_t vectors) {
  assert(vectors >= 0);
  if (!allows(vectors)) {
    return runtime_failure(fmt::format(
        "the privacy budget is gone: {} vectors have been sent (epsilon {:.6g} of {:.6g} at delta {:g}), and "
        "{} more would exceed it",
        released_, spent(), epsilon_, delta_, vectors));
  }
  released_ += vectors;
  return Unit{};
}

}  // namespace gtvmin
