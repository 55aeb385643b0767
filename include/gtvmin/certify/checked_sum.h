#pragma once

#include <cmath>

#include "gtvmin/base/double_double.h"
#include "gtvmin/base/types.h"

namespace gtvmin {

/// A sum in twice the precision of a double, with the sum of magnitudes, which bounds its rounding error.
struct CheckedSum {
  DoubleDouble sum;
  double magnitude = 0;
  Index terms = 0;

  void add(const DoubleDouble& x) {
    sum.add(x);
    magnitude += std::abs(x.high);
    ++terms;
  }
  void add(double x) { add(DoubleDouble{x, 0}); }
  [[nodiscard]] double value() const { return sum.value(); }
  /// Of the value: every term and every addition has a relative error of at most 2⁻¹⁰².
  [[nodiscard]] double error() const {
    constexpr double kUnitOfTerm = 0x1p-102;
    constexpr double kTiny = 0x1p-1000;  // products below the range of doubles
    return magnitude * (2 * static_cast<double>(terms) + 4) * kUnitOfTerm + static_cast<double>(terms) * kTiny +
           0x1p-52 * std::abs(value());
  }
};

}  // namespace gtvmin
