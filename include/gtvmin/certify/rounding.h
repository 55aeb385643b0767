#pragma once

#include <limits>

namespace gtvmin {

/// Rounding units of the two precisions in which bounds are evaluated.
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr long double kUnit = std::numeric_limits<long double>::epsilon();

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace gtvmin
