#include "gtvmin/solver/termination.h"

#include <cmath>

namespace gtvmin {

std::optional<SolveStatus> termination(const SolverOptions& options, const Progress& progress) {
  if (options.tolerance > 0 && progress.certified <= options.tolerance) return SolveStatus::kSolved;
  if (progress.estimated) return SolveStatus::kEstimated;
  if (progress.interrupted) return SolveStatus::kInterrupted;
  if (progress.iteration >= options.max_iterations) {
    return options.tolerance > 0 ? SolveStatus::kIterationLimit : SolveStatus::kCompleted;
  }
  if (options.time_limit > 0 && progress.seconds >= options.time_limit) return SolveStatus::kTimeLimit;
  const double decrease = std::abs(progress.previous_objective - progress.objective);
  if (options.min_decrease > 0 && decrease <= options.min_decrease * std::abs(progress.objective)) {
    return SolveStatus::kSmallDecrease;
  }
  return std::nullopt;
}

std::string_view to_string(SolveStatus status) {
  switch (status) {
    case SolveStatus::kSolved:
      return "solved";
    case SolveStatus::kIterationLimit:
      return "iteration-limit";
    case SolveStatus::kTimeLimit:
      return "time-limit";
    case SolveStatus::kEstimated:
      return "estimated";
    case SolveStatus::kCompleted:
      return "completed";
    case SolveStatus::kSmallDecrease:
      return "small-decrease";
    case SolveStatus::kInterrupted:
      return "interrupted";
  }
  return "";
}

}  // namespace gtvmin
