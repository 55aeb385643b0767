// Which magnitudes of samples the losses can square.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models.h"

namespace gtvmin {

std::string too_large(std::span<const std::string> names, ConstMatrixRef features, ConstVectorRef labels) {
  // Written so that NaN is found too.
  const auto fits = [](double x) { return std::abs(x) <= kLargestInput; };
  for (Index r = 0; r < features.cols(); ++r) {
    for (Index f = 0; f < features.rows(); ++f) {
      if (fits(features(f, r))) continue;
      return fmt::format("feature {} is {:.4g}: squares overflow; rescale it", names[static_cast<std::size_t>(f)],
                         features(f, r));
    }
  }
  for (const double label : labels) {
    if (!fits(label)) return fmt::format("a label is {:.4g}: squares overflow; rescale the labels", label);
  }
  return {};
}

std::string too_small(std::span<const std::string> names, ConstMatrixRef features) {
  for (Index f = 0; f < features.rows(); ++f) {
    double largest = 0;
    for (Index r = 0; r < features.cols() && largest < kSmallestInput; ++r) {
      largest = std::max(largest, std::abs(features(f, r)));
    }
    if (largest == 0 || largest >= kSmallestInput) continue;
    return fmt::format("feature {} is at most {:.4g} in magnitude: squares underflow; rescale it, or write 0",
                       names[static_cast<std::size_t>(f)], largest);
  }
  return {};
}

}  // namespace gtvmin
