#pragma once

#include "gtvmin/base/types.h"

namespace gtvmin {

/// The coordinates of the points (columns) along the directions in which they vary most, largest first: dimension ×
/// points. The entry of largest magnitude of each coordinate is positive. Costs min(rows, points)³; dimension ≤ that
/// minimum.
///
/// Leaves a site: its mean and covariance, if sites add theirs up to find the directions; then nothing, for every site
/// can embed its own samples.
[[nodiscard]] Matrix principal_components(ConstMatrixRef points, Index dimension);

}  // namespace gtvmin
