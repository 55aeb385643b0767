#pragma once

#include <vector>

#include "gtvmin/base/thread_team.h"
#include "gtvmin/base/types.h"
#include "gtvmin/solver/shard.h"
#include "gtvmin/solver/steering.h"

namespace gtvmin {

/// Memory for one worker's node or edge at hand, so that no sweep allocates. Vectors start on aligned addresses wherever
/// the columns they are copied from lie, which is why results do not depend on the partition.
struct Workspace {
  Vector flow, point, update, scratch;
  SteeringSums sums;
};
[[nodiscard]] std::vector<Workspace> make_workspaces(const Problem& problem, int workers);

/// The step sizes are τ_i = ω / Σ_{e∋i} c_e and σ_e = c_e / (2ω).
///
/// Primal update of every owned node: w_next_i = prox(L_i, w_i − τ_i (Dᵀu)_i, 1/τ_i). An iterative prox is solved to
/// ‖gradient‖ ≤ inner_tolerance / τ_i. With `keep_gradient` also stores ∇L_i(w_next_i).
void primal_sweep(Shard& shard, double omega, double inner_tolerance, bool keep_gradient, ThreadTeam& team,
                  std::vector<Workspace>& workspaces);

/// All local nodes: w_next ← 2 w_next − w (what the edges read), w ← w + relaxation (w_next − w).
void advance_nodes(Shard& shard, double relaxation, ThreadTeam& team);

/// Dual update of every local edge: u_e ← u_e + relaxation (dual_update(u_e + σ_e (D w_next)_e) − u_e).
void dual_sweep(Shard& shard, double omega, double relaxation, ThreadTeam& team, std::vector<Workspace>& workspaces);

/// The sums that steer, at the state after an iteration with relaxation 1 and keep_gradient. `w_before`, `u_before` is
/// the state before that iteration.
[[nodiscard]] SteeringSums inspect(const Shard& shard, const Matrix& w_before, const Matrix& u_before, ThreadTeam& team,
                                   std::vector<Workspace>& workspaces);

}  // namespace gtvmin
