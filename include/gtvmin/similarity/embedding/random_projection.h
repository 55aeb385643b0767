#pragma once

#include <cstdint>

#include "gtvmin/base/types.h"

namespace gtvmin {

/// R x for every point (column) x, R a dimension × rows matrix of independent normal numbers with variance 1/dimension:
/// squared distances are kept on average (Johnson and Lindenstrauss).
///
/// Leaves a site: nothing; whoever knows the seed can embed on its own.
[[nodiscard]] Matrix random_projection(ConstMatrixRef points, Index dimension, std::uint64_t seed);

}  // namespace gtvmin
