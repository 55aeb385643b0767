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

/// What one release adds to ρ.
double cost(double noise_multiplier) {
  assert(noise_multiplier > 0);
  return 1 / (2 * noise_multiplier * noise_multiplier);
}

/// The largest ρ that ε at δ allows; 0 or less if it allows none.
double most(double epsilon, double delta) {
  double rho = 0;
  for_orders([&](double above) { rho = std::max(rho, (epsilon - conversion(above, delta)) / (1 + above)); });
  return rho;
}

}  // namespace

void RenyiAccountant::add(double noise_multiplier, std::int64_t releases) {
  assert(releases >= 0);
  rho_ += static_cast<double>(releases) * cost(noise_multiplier);
}

double RenyiAccountant::spent(double delta) const {
  assert(delta > 0 && delta < 1);
  if (rho_ <= 0) return 0;
  double best = std::numeric_limits<double>::infinity();
  for_orders([&](double above) { best = std::min(best, divergence(1 + above) + conversion(above, delta)); });
  return std::max(best, 0.0);
}

std::int64_t RenyiAccountant::releases_left(double noise_multiplier, double epsilon, double delta) const {
  constexpr double kMost = 0x1p62;
  const double room = std::max(0.0, most(epsilon, delta) - rho_);
  auto releases = static_cast<std::int64_t>(std::min(room / cost(noise_multiplier), kMost));
  // The division above and the sum in spent() round in their own ways.
  const auto fits = [&](std::int64_t more) {
    RenyiAccountant after = *this;
    after.add(noise_multiplier, more);
    return after.spent(delta) <= epsilon;
  };
  while (releases > 0 && !fits(releases)) --releases;
  return releases;
}

double RenyiAccountant::least_multiplier(std::int64_t releases, double epsilon, double delta) const {
  const double room = most(epsilon, delta) - rho_;
  if (room <= 0) return std::numeric_limits<double>::infinity();
  return std::sqrt(static_cast<double>(releases) / (2 * room));
}

double RenyiAccountant::share_left(double epsilon, double delta) const {
  const double all = most(epsilon, delta);
  return all > 0 ? std::max(0.0, 1 - rho_ / all) : 0;
}

}  // namespace gtvmin
