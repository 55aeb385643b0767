#pragma once

#include <cstdint>
#include <optional>

#include "gtvmin/solver/solver.h"

namespace gtvmin {

/// Iterations between two checks, at first.
constexpr std::int64_t kCheckEvery = 20;

/// What the decision to stop rests on, at a check.
struct Progress {
  std::int64_t iteration = 0;
  double seconds = 0;
  double objective = 0;
  double previous_objective = 0;  ///< at the check before; NaN at the first
  double certified = 0;           ///< relative certificate of the best pair so far; +∞ if there is none that bounds
  bool estimated = false;         ///< the estimated gap is within the tolerance and nothing more can be proved
  bool interrupted = false;
};

/// Why to stop now, if there is a reason. A certificate within the tolerance wins over every limit.
[[nodiscard]] std::optional<SolveStatus> termination(const SolverOptions& options, const Progress& progress);

}  // namespace gtvmin
