#include "gtvmin/privacy/renyi_accountant.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace gtvmin {
namespace {

// α − 1 = 10^(j/40): neighbours differ by 6 %, which moves ε, flat at its minimum, in the fourth digit.
constexpr int kPerDecade = 40;
constexpr int kFirst = -2 * kPerDecade;
constexpr int kLast = 6 * kPerDecade;

/// Calls `use` with every α − 1 of the grid.
template <class Use>
void for_orders(Use use) {
  for (int j = kFirst; j <= kLast; ++j) use(std::pow(10.0, static_cast<double>(j) / kPerDecade));
}

/// What the conversion to (ε, δ) adds to the divergence of order 1 + `above`.
double conversion(double above, double delta) {
  const double alpha = 1 + above;
  return std::log(above / alpha) - (std::log(delta) + std::log(alpha)) / above;
}

}  // namespace

double RenyiAccountant::divergence(double alpha, std::int64_t releases) const {
  return static_cast<double>(releases) * alpha / (2 * multiplier_ * multiplier_);
}

double RenyiAccountant::spent(double delta, std::int64_t releases) const {
  assert(delta > 0 && delta < 1 && multiplier_ > 0);
  if (releases <= 0) return 0;
  double best = std::numeric_limits<double>::infinity();
  for_orders([&](double above) { best = std::min(best, divergence(1 + above, releases) + conversion(above, delta)); });
  return std::max(best, 0.0);
}

std::int64_t RenyiAccountant::releases_within(double epsilon, double delta) const {
  constexpr double kMost = 0x1p62;
  double most = 0;
  for_orders(
      [&](double above) { most = std::max(most, (epsilon - conversion(above, delta)) / divergence(1 + above, 1)); });
  auto releases = static_cast<std::int64_t>(std::min(most, kMost));
  // The division above and the sum in spent() round in their own ways.
  while (releases > 0 && spent(delta, releases) > epsilon) --releases;
  return releases;
}

}  // namespace gtvmin
