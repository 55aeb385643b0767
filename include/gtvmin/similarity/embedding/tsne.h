#pragma once

#include <cstdint>

#include "gtvmin/base/result.h"
#include "gtvmin/base/types.h"
#include "gtvmin/similarity/context.h"

namespace gtvmin {

struct TsneParameters {
  Index dimension = 2;  ///< 1, 2 or 3
  /// Between 1 and the number of points.
  double perplexity = 30;
  /// Cells that look smaller than this from a point (width over distance) are taken as one; 0: none are.
  double theta = 0.5;
  int iterations = 1000;
  std::uint64_t seed = 1;
};

/// t-SNE (van der Maaten and Hinton 2008) of the points (columns) with Barnes and Hut's approximation: dimension ×
/// points.
///
/// p_ij from the 3·perplexity nearest neighbours of each point, q_ij ∝ 1/(1 + ‖y_i − y_j‖²); gradient descent on
/// KL(p‖q) with momentum and gains from the first principal components, the affinities exaggerated 12-fold for the
/// first quarter. The seed moves the start by a hundredth, so that equal points come apart. The same bits for every
/// number of threads.
///
/// Leaves a site: every sample. All of them must be in one place, because each sample's position depends on all others.
[[nodiscard]] Result<Matrix> tsne(ConstMatrixRef points, const TsneParameters& parameters,
                                  const SimilarityContext& context);

}  // namespace gtvmin
