#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "gtvmin/base/thread_team.h"
#include "gtvmin/problem/problem.h"
#include "gtvmin/solver/certified_pair.h"
#include "gtvmin/solver/cluster_start.h"
#include "gtvmin/solver/gap_estimate.h"
#include "gtvmin/solver/second_order_gear.h"
#include "gtvmin/solver/shard.h"
#include "gtvmin/solver/solver.h"
#include "gtvmin/solver/solver_state.h"

namespace gtvmin {

/// What a process that holds the whole problem can do beside message passing: prove how good a state is, polish it by
/// Newton's method on the cluster graph, start again from coarser problems or from smoothed losses. Decides at every
/// check what is worth its price, by what was measured so far, and keeps the best pair that it has found.
class Gears {
 public:
  /// All must outlive it; it changes the state of the shards and the primal weight.
  Gears(const Problem& problem, const SolverOptions& options, const SolveContext& context, std::span<Shard> shards,
        ThreadTeam& team, SolverState& state, GapEstimate& estimate);

  /// The first iteration will start from a solution of a similar problem, which may be nearly one of this.
  void use_warm_start();
  /// Before the first iteration of a run that starts from nothing.
  void use_cold_start();
  /// At a check, with a new estimate.
  void use();

  /// The best pair so far; empty if nothing was certified.
  [[nodiscard]] CertifiedPair& best() { return best_; }
  /// The state comes from a coarse start, after which movements of w and u say nothing about ω.
  [[nodiscard]] bool has_coarse_start() const { return coarse_start_; }
  [[nodiscard]] std::int64_t newton_steps() const { return second_order_.newton_steps() + start_newton_steps_; }

 private:
  void take_start(std::optional<ClusterStart> start);
  [[nodiscard]] bool worth_certifying() const;
  void certify_state();
  void schedule_next_attempt();
  void polish_state();
  void cut_forest(const CertifiedPair& pair);
  void note_polished_objective(double objective);
  [[nodiscard]] bool only_flow_is_missing() const;
  void prove_polished();
  void balance_weight(const Certificate& certificate);
  void keep_if_better(CertifiedPair pair);
  [[nodiscard]] bool worth_a_coarse_start() const;
  void start_from_coarse();
  [[nodiscard]] bool worth_smoothing() const;
  void start_from_smoothed();
  [[nodiscard]] bool is_proved() const { return best_.bound() <= options_.tolerance; }
  [[nodiscard]] std::int64_t iteration() const { return state_.progress.iteration; }

  const Problem& problem_;
  const SolverOptions& options_;
  const SolveContext& context_;
  std::span<Shard> shards_;
  ThreadTeam& team_;
  SolverState& state_;
  GapEstimate& estimate_;
  SecondOrderGear second_order_;
  bool has_kinks_;
  bool is_curved_;
  bool is_forest_;
  bool warm_start_ = false;
  bool coarse_start_ = false;
  bool polished_is_settled_ = false;
  double polished_objective_ = 0;  // of the last attempt
  std::int64_t start_newton_steps_ = 0;
  std::int64_t next_balance_ = 0;
  std::int64_t last_attempt_ = 0;
  std::int64_t next_cut_ = 1;  // of a forest; before the first iteration a warm start has cut it already
  std::int64_t next_attempt_;
  Forecast bounds_;  // what was proved at scheduled attempts
  CertifiedPair best_;
};

}  // namespace gtvmin
