#pragma once

#include "gtvmin/base/types.h"
#include "gtvmin/problem/problem.h"

namespace gtvmin {

/// Changes the flow u of a problem with a norm penalty so that (Dᵀu)_i falls by `excess` at every node i, where excess
/// sums to 0 over each component: first between the groups of nodes that flows with room connect, then inside the
/// groups in proportion to the room. Saturated edges are spared as far as that is possible. Works on any graph; how much
/// of the excess is left shows in Dᵀu.
void route_excess(const Problem& problem, const Matrix& excess, Matrix& u);

}  // namespace gtvmin
