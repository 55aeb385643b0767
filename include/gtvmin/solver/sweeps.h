#pragma once

#include <vector>

#include "gtvmin/base/thread_team.h"
#include "gtvmin/base/types.h"
#include "gtvmin/solver/shard.h"
#include "gtvmin/solver/steering.h"

namespace gtvmin {

/// Memory for one worker's node or edge at hand, so that no sweep allocates. Vectors start on aligned addresses
/// wherever the columns they are copied from lie, which is why results do not depend on the partition.
struct Workspace {
  Vector flow, point, update, scratch;
  SteeringSums sums;
};
[[nodiscard]] std::vector<Workspace> make_workspaces(const Problem& problem, int workers);

/// The step sizes are τ_i = ω / Σ_{e∋i} c_e and σ_e = c_e / (2ω).
///
/// Primal update of every owned node: w_next_i = prox(L_i, w_i − τ_i (Dᵀu)_i, 1/τ_i). An iterative prox is solved to
/// ‖gradient‖ ≤ inner_tolerance / τ_i. With `measure` also stores ∇L_i(w_next_i) and adds up how far the nodes move.
void primal_sweep(Shard& shard, double omega, double inner_tolerance, bool measure, ThreadTeam& team,
                  std::vector<Workspace>& workspaces);

/// All local nodes: w_next ← 2 w_next − w (what the edges read), w ← w + relaxation (w_next − w).
void advance_nodes(Shard& shard, double relaxation, ThreadTeam& team);

/// Dual update of every local edge: u_e ← u_e + relaxation (dual_update(u_e + σ_e (D w_next)_e) − u_e). With `measure`
/// also adds up how far the flows move.
void dual_sweep(Shard& shard, double omega, double relaxation, bool measure, ThreadTeam& team,
                std::vector<Workspace>& workspaces);

/// The sums that steer: those of the measured sweeps of the iteration before, which had relaxation 1, and those of the
/// state it led to. Starts the workspaces' sums anew.
[[nodiscard]] SteeringSums inspect(const Shard& shard, ThreadTeam& team, std::vector<Workspace>& workspaces);

}  // namespace gtvmin
