#pragma once

#include <vector>

#include "gtvmin/base/thread_team.h"
#include "gtvmin/base/types.h"
#include "gtvmin/solver/shard.h"
#include "gtvmin/solver/steering.h"

namespace gtvmin {

/// Memory for one worker's node or edge at hand, so that no sweep allocates. Vectors start on aligned addresses
/// wherever the columns they are copied from lie, which is why results do not depend on the partition.
struct alignas(128) Workspace {  // the sums of one worker are not on the cache lines of another's
  Vector flow, point, update, scratch;
  SteeringSums sums;
};
[[nodiscard]] std::vector<Workspace> make_workspaces(const Problem& problem, int workers);

/// How an iteration steps: τ_i = ω / Σ_{e∋i} c_e and σ_e = dual_scale · c_e / (2ω).
struct Step {
  double omega = 1;
  double dual_scale = 1;       // at most 1, or the method may diverge
  double relaxation = 1;       // 1 is the paper's Algorithm 1; up to 2 the method converges
  double inner_tolerance = 0;  // an iterative prox is solved to ‖gradient‖ ≤ inner_tolerance / τ_i
  bool measure = false;        // also store ∇L_i(w⁺_i), and add up how far nodes move; needs relaxation 1

  /// σ_e of an edge with c_e = 1.
  [[nodiscard]] double sigma() const { return dual_scale / (2 * omega); }
};

/// Primal update of every owned node: w_next_i = prox(L_i, w_i − τ_i (Dᵀu)_i, 1/τ_i). A shard without ghosts, for which
/// nobody waits, takes the step of advance_nodes at once.
void primal_sweep(Shard& shard, const Step& step, ThreadTeam& team, std::vector<Workspace>& workspaces);
/// In two parts: first the nodes for whose update others wait …
void primal_sweep_boundary(Shard& shard, const Step& step, ThreadTeam& team, std::vector<Workspace>& workspaces);
/// … then all others, while it travels.
void primal_sweep_interior(Shard& shard, const Step& step, ThreadTeam& team, std::vector<Workspace>& workspaces);

/// All local nodes, once the ghosts have arrived: w_next ← 2 w_next − w (what the edges read), w ← w + relaxation
/// (w_next − w).
void advance_nodes(Shard& shard, const Step& step, ThreadTeam& team);

/// Dual update of every local edge: u_e ← u_e + relaxation (dual_update(u_e + σ_e (D w_next)_e) − u_e). Adds the new
/// flows to their nodes.
void dual_sweep(Shard& shard, const Step& step, ThreadTeam& team, std::vector<Workspace>& workspaces);

/// The sums that steer: those of the measured sweeps of the iteration before, which had relaxation 1, and those of the
/// state it led to. Starts the workspaces' sums anew.
[[nodiscard]] SteeringSums inspect(const Shard& shard, ThreadTeam& team, std::vector<Workspace>& workspaces);

}  // namespace gtvmin
