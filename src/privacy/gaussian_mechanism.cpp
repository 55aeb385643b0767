#include "gtvmin/privacy/gaussian_mechanism.h"

#include <cassert>
#include <cmath>

#include "gtvmin/base/normal_pair.h"

namespace gtvmin {
namespace {

/// Sums of doubles can take only some values, and which ones depends on the summands: an attacker could read v off the
/// last bits (Mironov 2012). So results stand on a grid that does not depend on v, far finer than the noise.
double grid_of(double deviation) {
  constexpr int kFiner = 20;  // bits
  return std::ldexp(1.0, std::ilogb(deviation) - kFiner);
}

}  // namespace

void clip_to_ball(VectorRef v, double radius) {
  const double norm = v.stableNorm();
  if (norm > radius) v *= radius / norm;
}

void GaussianMechanism::release(VectorRef v, const RandomBits& bits) const {
  assert(clip > 0 && noise > 0 && v.allFinite());
  clip_to_ball(v, clip);
  const double grid = grid_of(deviation());
  for (Index k = 0; k < v.size(); k += 2) {
    const auto [first, second] = normal_pair(bits);
    v[k] = std::nearbyint((v[k] + deviation() * first) / grid) * grid;
    if (k + 1 < v.size()) v[k + 1] = std::nearbyint((v[k + 1] + deviation() * second) / grid) * grid;
  }
}

}  // namespace gtvmin
