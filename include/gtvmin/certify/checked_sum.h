#pragma once

#include <cmath>

#include "gtvmin/base/types.h"
#include "gtvmin/certify/rounding.h"

namespace gtvmin {

/// A sum in extended precision with the sum of magnitudes, which bounds its rounding error.
struct CheckedSum {
  long double value = 0;
  long double magnitude = 0;
  Index terms = 0;

  void add(long double x) {
    value += x;
    magnitude += std::abs(x);
    ++terms;
  }
  /// Of the value rounded to a double.
  [[nodiscard]] double error() const {
    return static_cast<double>(magnitude * static_cast<long double>(terms + 2) * kUnit) +
           kEpsilon * std::abs(static_cast<double>(value));
  }
};

}  // namespace gtvmin
