#pragma once

#include <cmath>
#include <cstdint>
#include <utility>

#include "gtvmin/base/portable_math.h"

namespace gtvmin {

/// Two independent standard normals from a source of 64 random bits, `bits()`, by Marsaglia's polar method; from the
/// same bits the same numbers on every machine.
template <class Bits>
[[nodiscard]] std::pair<double, double> normal_pair(Bits&& bits) {
  const auto signed_uniform = [&] { return 2 * (static_cast<double>(bits() >> 11) * 0x1.0p-53) - 1; };
  double a = 0;
  double b = 0;
  double r2 = 0;
  do {
    a = signed_uniform();
    b = signed_uniform();
    r2 = a * a + b * b;
  } while (r2 >= 1 || r2 == 0);
  const double scale = std::sqrt(-2 * portable_log(r2) / r2);
  return {a * scale, b * scale};
}

}  // namespace gtvmin
