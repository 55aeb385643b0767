#pragma once

#include "gtvmin/base/thread_team.h"
#include "gtvmin/base/types.h"
#include "gtvmin/problem/problem.h"

namespace gtvmin {

/// Changes the flow u of a problem with a norm penalty so that −(Dᵀu)_i = target_i at every node i, where target sums
/// to 0 over each component: first between the groups of nodes that flows with room connect, then inside the groups in
/// proportion to the room. Saturated edges are spared as far as that is possible. Stops where what a coordinate misses
/// has the norm `absolute`, or where rounding ends the progress.
void route_to_target(const Problem& problem, const Matrix& target, double absolute, ThreadTeam& team, Matrix& u);

}  // namespace gtvmin
