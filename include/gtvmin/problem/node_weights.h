#pragma once

#include "gtvmin/base/result.h"
#include "gtvmin/base/types.h"
#include "gtvmin/problem/problem.h"

namespace gtvmin {

/// The problem with ρ_iL_i in place of L_i, for one weight ρ_i per node, finite and > 0: locally weighted learning.
/// Fails on other weights, and on a penalty of the caller's own, which cannot be copied.
[[nodiscard]] Result<Problem> weigh_nodes(Problem problem, const Vector& weights);

}  // namespace gtvmin
