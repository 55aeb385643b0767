#pragma once

#include <cstdint>

#include "gtvmin/base/result.h"
#include "gtvmin/privacy/renyi_accountant.h"

namespace gtvmin {

/// How much a site is willing to tell: (ε, δ)-DP in all, over everything that it ever sends under one budget.
///
/// A vector counts once however many neighbours get it, and once however often the same bytes are sent again. The
/// vectors of different nodes of a site add up: the guarantee is for the data of the whole site.
class PrivacyBudget {
 public:
  /// Fails unless ε > 0, 0 < δ < 1 and the noise multiplier is > 0, all finite. `released` is what an earlier run has
  /// sent under the same budget.
  static Result<PrivacyBudget> make(double noise_multiplier, double epsilon, double delta, std::int64_t released = 0);

  /// Whether `vectors` more may be sent.
  [[nodiscard]] bool allows(std::int64_t vectors) const { return vectors <= left(); }
  /// Counts `vectors` that are about to be sent; to be called, and remembered on disk, before they are. Refuses, and
  /// counts nothing, if the budget does not allow it.
  [[nodiscard]] Status spend(std::int64_t vectors);

  [[nodiscard]] std::int64_t released() const { return released_; }
  /// How many more vectors the budget allows.
  [[nodiscard]] std::int64_t left() const { return allowed_ > released_ ? allowed_ - released_ : 0; }
  /// ε so far, at the budget's δ.
  [[nodiscard]] double spent() const { return accountant_.spent(delta_, released_); }
  [[nodiscard]] double epsilon() const { return epsilon_; }
  [[nodiscard]] double delta() const { return delta_; }

 private:
  PrivacyBudget(const RenyiAccountant& accountant, double epsilon, double delta, std::int64_t released);

  RenyiAccountant accountant_;
  double epsilon_;
  double delta_;
  std::int64_t released_;
  std::int64_t allowed_;
};

}  // namespace gtvmin
