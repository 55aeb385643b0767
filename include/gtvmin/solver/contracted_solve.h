#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "gtvmin/base/thread_team.h"
#include "gtvmin/base/types.h"
#include "gtvmin/certify/dual_point.h"
#include "gtvmin/graph/empirical_graph.h"
#include "gtvmin/solver/incumbent.h"
#include "gtvmin/solver/problem_facts.h"
#include "gtvmin/solver/tuning.h"

namespace gtvmin {

/// The optimum among parameters that are constant on groups.
struct ContractedSolution {
  Partition groups;
  Matrix parameters;  ///< D × nodes, equal to the last bit inside a group
  long double objective = 0;
  double relative_gap = 0;  ///< of the contracted problem, as far as it is known
  DualPoint dual;           ///< of the contracted problem, feasible
  std::int64_t newton_steps = 0;
};

/// Limits of a contracted solve, and what it spent.
struct ContractedBudget {
  double work = 0;  ///< operations; a prediction beyond it is not attempted
  double aim = 0;   ///< relative gap that ends the solve
  std::function<bool()> stop;
  double spent = 0;
};

/// The groups that edges connect whose utilisation is below 1 − slack.
[[nodiscard]] Partition slack_groups(const ProblemFacts& facts, const Vector& utilisation, double slack);

/// Newton's method on the contracted problem, started at the groups' means. Nothing if it exceeds the budget.
[[nodiscard]] std::optional<ContractedSolution> solve_contracted(const ProblemFacts& facts, const Partition& groups,
                                                                 const Matrix& parameters, double scale,
                                                                 const SolverTuning& tuning, ThreadTeam& team,
                                                                 ContractedBudget& budget);

/// Completes the fusion of a solution of a problem with a norm penalty: finds the coarsest groups of nodes whose
/// contracted optimum is as good as that of finer groups, by the slack of `flows`, which need not be feasible: flows
/// that were scaled into their balls have slack everywhere. Offers it to the incumbent; nothing if the budget did not
/// suffice or no contracted optimum is within the tolerance.
[[nodiscard]] std::optional<ContractedSolution> complete_fusion(const ProblemFacts& facts, Incumbent& incumbent,
                                                                const Matrix& flows, double tolerance,
                                                                const SolverTuning& tuning, ThreadTeam& team,
                                                                ContractedBudget& budget);

}  // namespace gtvmin
