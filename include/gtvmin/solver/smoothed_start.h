#pragma once

#include <functional>
#include <optional>

#include "gtvmin/certify/certify.h"
#include "gtvmin/problem/problem.h"
#include "gtvmin/solver/solver.h"

namespace gtvmin {

struct SmoothedPair {
  Matrix w;
  Certified certified;            ///< with the flow that proves it
  std::int64_t newton_steps = 0;  ///< of all rounds
};

/// For a problem with kinks, on which message passing alone is slow: the method of multipliers, whose steps are smooth
/// problems that this solver knows how to finish. Ends once the certificate is within the tolerance, and after a few
/// dozen rounds or at the time limit at the latest. Nothing if some loss with kinks has no multipliers. `objective`
/// says what is small; `seconds` is the clock of SolveContext.
[[nodiscard]] std::optional<SmoothedPair> solve_smoothed(const Problem& problem, double objective,
                                                         const SolverOptions& options,
                                                         const std::function<double()>& seconds);

}  // namespace gtvmin
