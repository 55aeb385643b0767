#include "gtvmin/base/exact_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace gtvmin {
namespace {
constexpr std::int64_t kCarryEvery = std::int64_t{1} << 29;
constexpr std::uint64_t kLowHalf = 0xffffffffULL;
}  // namespace

void ExactSum::add(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto exponent = static_cast<int>((bits >> 52) & 0x7ff);
  std::uint64_t mantissa = bits & ((std::uint64_t{1} << 52) - 1);
  if (exponent == 0x7ff) {
    invalid_ = true;
    return;
  }
  if (exponent != 0) mantissa |= std::uint64_t{1} << 52;
  const int position = exponent == 0 ? 0 : exponent - 1;  // x = ± mantissa · 2^(position − 1074)
  const int limb = position / 32;
  const int shift = position % 32;
  const std::uint64_t low = (mantissa & kLowHalf) << shift;
  const std::uint64_t high = (mantissa >> 32) << shift;
  const auto part0 = static_cast<std::int64_t>(low & kLowHalf);
  const auto part1 = static_cast<std::int64_t>((low >> 32) + (high & kLowHalf));
  const auto part2 = static_cast<std::int64_t>(high >> 32);
  const std::int64_t sign = (bits >> 63) != 0 ? -1 : 1;
  limbs_[limb] += sign * part0;
  limbs_[limb + 1] += sign * part1;
  limbs_[limb + 2] += sign * part2;
  if (++pending_ == kCarryEvery) carry();
}

void ExactSum::add(const ExactSum& other) {
  ExactSum settled = other;
  settled.carry();
  carry();
  for (int k = 0; k < kLimbs; ++k) limbs_[k] += settled.limbs_[k];
  invalid_ = invalid_ || other.invalid_;
  carry();
}

// Brings every limb but the highest into [0, 2^32): the one representation that each exact sum has.
void ExactSum::carry() {
  for (int k = 0; k + 1 < kLimbs; ++k) {
    limbs_[k + 1] += limbs_[k] >> 32;
    limbs_[k] &= static_cast<std::int64_t>(kLowHalf);
  }
  pending_ = 0;
}

ExactSum::Limbs ExactSum::limbs() const {
  ExactSum settled = *this;
  settled.carry();
  if (invalid_) settled.limbs_.fill(-1);
  return settled.limbs_;
}

std::optional<ExactSum> ExactSum::from_limbs(const Limbs& limbs) {
  constexpr auto kBase = std::int64_t{1} << 32;
  ExactSum sum;
  sum.invalid_ = std::all_of(limbs.begin(), limbs.end(), [](std::int64_t limb) { return limb == -1; });
  if (sum.invalid_) return sum;
  const bool settled =
      std::all_of(limbs.begin(), limbs.end() - 1, [](std::int64_t limb) { return limb >= 0 && limb < kBase; });
  if (!settled || std::abs(limbs.back()) >= kBase) return std::nullopt;
  sum.limbs_ = limbs;
  return sum;
}

double ExactSum::value() const {
  if (invalid_) return std::numeric_limits<double>::quiet_NaN();
  ExactSum settled = *this;
  settled.carry();
  // A negative sum has a negative highest limb; its magnitude is read off the negated limbs.
  const bool negative = settled.limbs_[kLimbs - 1] < 0;
  if (negative) {
    for (auto& limb : settled.limbs_) limb = -limb;
    settled.carry();
  }
  int top = kLimbs - 1;
  while (top > 0 && settled.limbs_[top] == 0) --top;
  double sum = 0;
  for (int k = top; k >= 0 && k > top - 4; --k) {
    sum += std::ldexp(static_cast<double>(settled.limbs_[k]), 32 * k - 1074);
  }
  return negative ? -sum : sum;
}

long double ExactSum::extended_value() const {
  const double high = value();
  ExactSum rest = *this;
  rest.add(-high);
  return static_cast<long double>(high) + rest.value();
}

}  // namespace gtvmin
