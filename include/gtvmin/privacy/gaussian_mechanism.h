#pragma once

#include <cstdint>
#include <functional>

#include "gtvmin/base/types.h"

namespace gtvmin {

/// 64 random bits at every call. Whose bits can be guessed, whose noise can be removed: in use they come from a
/// cryptographic generator with a secret key.
using RandomBits = std::function<std::uint64_t()>;

/// Local differential privacy of one vector that leaves a site: v is clipped to the ball ‖v‖₂ ≤ C, and every coordinate
/// gets independent noise of standard deviation σC.
///
/// What is hidden is all the data behind v: two datasets are neighbours if they differ in anything, so clipped vectors
/// differ by at most the diameter of the ball. The sensitivity is 2C and the noise multiplier, its standard deviation
/// over the sensitivity, is σ/2.
struct GaussianMechanism {
  double clip = 1;   ///< C > 0
  double noise = 1;  ///< σ > 0

  [[nodiscard]] double sensitivity() const { return 2 * clip; }
  [[nodiscard]] double deviation() const { return noise * clip; }
  [[nodiscard]] double noise_multiplier() const { return noise / 2; }

  /// Clips a finite vector and adds noise, in place. What is sent twice must be the same release: two of one vector
  /// count twice.
  void release(VectorRef v, const RandomBits& bits) const;
};

/// v · min(1, C/‖v‖).
void clip_to_ball(VectorRef v, double radius);

}  // namespace gtvmin
