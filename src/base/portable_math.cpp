#include "gtvmin/base/portable_math.h"

#include <cassert>
#include <cmath>
#include <limits>

namespace gtvmin {
namespace {

constexpr double kLn2 = 0.69314718055994530942;

// 2 artanh(f) = log((1 + f)/(1 − f)) by its series; |f| ≤ 0.1716 makes 13 terms enough.
double twice_artanh(double f) {
  const double f2 = f * f;
  double series = 0;
  for (int k = 25; k >= 1; k -= 2) series = series * f2 + 1.0 / k;
  return 2 * f * series;
}

}  // namespace

double portable_log(double x) {
  assert(x >= 0);
  if (x == 0) return -std::numeric_limits<double>::infinity();
  // x = m·2^k with m in [√½, √2).
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < 0.70710678118654752440) {
    m *= 2;
    --exponent;
  }
  return twice_artanh((m - 1) / (m + 1)) + exponent * kLn2;
}

double portable_log1p(double x) {
  if (x > -0.25 && x < 0.25) return twice_artanh(x / (2 + x));
  return portable_log(1 + x);
}

double portable_exp(double x) {
  if (std::isnan(x)) return x;
  if (x > 710) return std::numeric_limits<double>::infinity();
  if (x < -746) return 0;
  // x = k·log 2 + r with |r| ≤ 0.35; log 2 in two parts, the first short enough for k·high to be exact.
  constexpr double kLn2High = 0x1.62e42fee00000p-1;
  constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
  const double k = std::floor(x / kLn2 + 0.5);
  const double r = (x - k * kLn2High) - k * kLn2Low;
  double series = 1;
  for (int n = 14; n >= 1; --n) series = 1 + series * r / n;
  return std::ldexp(series, static_cast<int>(k));
}

}  // namespace gtvmin
