#pragma once

#include <optional>

#include "gtvmin/base/thread_team.h"
#include "gtvmin/base/types.h"
#include "gtvmin/problem/problem.h"

namespace gtvmin {

/// How far the neighbours of node i can move its parameters, whatever they send: with w_i(alone) the minimiser of L_i,
///     ‖w_i − w_i(alone)‖ ≤ λ Σ_{e∋i} A_e/α_i
/// in the norm of the penalty, since each edge pulls with a force of dual norm at most λA_e. α_i is the modulus of
/// strong convexity of L_i, for logistic and Poisson losses in a ball around w_i(alone) that contains w_i.
///
/// Nothing where there is no such bound: penalties that are not norms, losses with an analysis_refusal, losses that are
/// not strongly convex (fewer samples than parameters and no ridge), and λ too large for any ball.
[[nodiscard]] std::optional<double> influence_bound(const Problem& problem, NodeId i);

/// The same for all nodes; NaN where there is no bound.
[[nodiscard]] Vector influence_bounds(const Problem& problem, ThreadTeam& team);

}  // namespace gtvmin
