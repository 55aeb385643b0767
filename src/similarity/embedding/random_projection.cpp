#include "gtvmin/similarity/embedding/random_projection.h"

#include <cmath>

#include "../streams.h"
#include "gtvmin/base/rng.h"

namespace gtvmin {

Matrix random_projection(ConstMatrixRef points, Index dimension, std::uint64_t seed) {
  Rng rng(seed, static_cast<std::uint64_t>(SimilarityStream::kRandomProjection));
  Matrix projection(dimension, points.rows());
  const double deviation = 1 / std::sqrt(static_cast<double>(dimension));
  for (double& x : projection.reshaped()) x = deviation * rng.normal();
  return projection * points;
}

}  // namespace gtvmin
