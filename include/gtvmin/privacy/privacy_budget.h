#pragma once

#include <cstdint>

#include "gtvmin/base/result.h"
#include "gtvmin/privacy/renyi_accountant.h"

namespace gtvmin {

/// How much a site is willing to tell: (ε, δ)-DP in all, over everything that it ever sends under one budget.
///
/// A vector counts once however many neighbours get it, and once however often the same bytes are sent again. The
/// vectors of different nodes of a site add up: the guarantee is for the data of the whole site. So do those of
/// different runs, whatever their noise.
class PrivacyBudget {
 public:
  /// Fails unless ε > 0 and 0 < δ < 1, both finite.
  static Result<PrivacyBudget> make(double epsilon, double delta);

  /// Counts `vectors` that are about to be sent, with a noise multiplier > 0; to be called, and remembered on disk,
  /// before they are. Refuses, and counts nothing, if the budget does not allow it.
  [[nodiscard]] Status spend(double noise_multiplier, std::int64_t vectors);

  /// How many more vectors the budget allows with that noise.
  [[nodiscard]] std::int64_t left(double noise_multiplier) const {
    return accountant_.releases_left(noise_multiplier, epsilon_, delta_);
  }
  /// The least noise multiplier, rounded up to four digits, with which the budget allows `vectors` more. ∞ if the
  /// budget is gone: what is left is not even a hundredth of it, and would need many times the noise of the whole.
  [[nodiscard]] double least_multiplier(std::int64_t vectors) const;

  [[nodiscard]] std::int64_t released() const { return released_; }
  /// ε so far, at the budget's δ.
  [[nodiscard]] double spent() const { return accountant_.spent(delta_); }
  [[nodiscard]] double epsilon() const { return epsilon_; }
  [[nodiscard]] double delta() const { return delta_; }

 private:
  PrivacyBudget(double epsilon, double delta) : epsilon_(epsilon), delta_(delta) {}

  RenyiAccountant accountant_;
  double epsilon_;
  double delta_;
  std::int64_t released_ = 0;
};

}  // namespace gtvmin
