#pragma once

#include <cstdint>
#include <functional>

#include "gtvmin/base/thread_team.h"
#include "gtvmin/base/types.h"
#include "gtvmin/problem/problem.h"
#include "gtvmin/solver/polish.h"
#include "gtvmin/solver/solver.h"

namespace gtvmin {

/// Decides where Newton's method is worth its price, and uses it. Budgets count operations, never the clock, so that
/// every run takes the same decisions.
class SecondOrderGear {
 public:
  /// All must outlive it.
  SecondOrderGear(const Problem& problem, const SolverOptions& options, ThreadTeam& team);

  [[nodiscard]] bool available() const { return available_; }
  [[nodiscard]] std::int64_t newton_steps() const { return newton_steps_; }

  /// Polishes a state: first on the groups that its flow suggests; then, unless `accept` returned true, on all nodes.
  /// Each only if all Newton steps together cost not much more than what message passing has spent in `iterations`,
  /// nor than it still needs.
  void polish(const Matrix& w, const Matrix& u, std::int64_t iterations, double iterations_left,
              const std::function<bool(Polished)>& accept);

 private:
  /// The work of a Newton step on these groups; 0 if it is too much.
  [[nodiscard]] double affordable_step(const Partition& groups, std::int64_t iterations, double iterations_left) const;

  const Problem& problem_;
  const SolverOptions& options_;
  ThreadTeam& team_;
  bool available_;
  std::int64_t newton_steps_ = 0;
  double work_ = 0;
};

}  // namespace gtvmin
