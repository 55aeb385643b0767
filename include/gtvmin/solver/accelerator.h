#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "gtvmin/base/thread_team.h"
#include "gtvmin/base/types.h"
#include "gtvmin/solver/incumbent.h"
#include "gtvmin/solver/problem_facts.h"
#include "gtvmin/solver/tuning.h"

namespace gtvmin {

/// What a method beside message passing knows of the run when it is asked whether it is due.
struct RunStatus {
  std::int64_t iteration = 0;
  double tolerance = 0;
  double work = 0;       ///< operations that message passing has spent
  double work_left = 0;  ///< operations it still needs by its own forecast; +∞ if unknown
  /// The iterate: parameters of all nodes (D × nodes) and flows; computed only when asked for.
  std::function<Matrix()> parameters;
  std::function<Matrix()> flows;
  /// True once the run has to end; polled every few milliseconds.
  std::function<bool()> stop;
};

/// A method that runs beside message passing in a process that holds the whole problem. It offers what it finds to the
/// incumbent and never changes the iterate.
class Accelerator {
 public:
  Accelerator() = default;
  Accelerator(const Accelerator&) = delete;
  Accelerator& operator=(const Accelerator&) = delete;
  virtual ~Accelerator() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual bool applies(const ProblemFacts& facts) const = 0;
  /// Whether its predicted cost is within its budget now.
  [[nodiscard]] virtual bool due(const RunStatus& status) = 0;
  virtual void propose(const RunStatus& status, Incumbent& incumbent) = 0;
  [[nodiscard]] virtual std::int64_t newton_steps() const = 0;
  /// Operations spent so far.
  [[nodiscard]] virtual double work() const = 0;
};

/// Primal-dual Newton method with smoothing continuation on the whole problem.
[[nodiscard]] std::unique_ptr<Accelerator> make_newton_method(const ProblemFacts& facts, const SolverTuning& tuning,
                                                              ThreadTeam& team);
/// The same on the graph whose edges with slack are contracted, where the whole problem is too expensive.
[[nodiscard]] std::unique_ptr<Accelerator> make_contraction(const ProblemFacts& facts, const SolverTuning& tuning,
                                                            ThreadTeam& team);

}  // namespace gtvmin
