#pragma once

#include <functional>

#include "gtvmin/base/result.h"
#include "gtvmin/io/result_files.h"
#include "gtvmin/problem/problem.h"
#include "gtvmin/solver/solver.h"
#include "solve_options.h"

namespace gtvmin::app {

/// Runs a solver with progress on stderr, if wanted; it stops when an InterruptGuard has noted a signal.
[[nodiscard]] Result<SolveResult> observed(bool progress, const SolverOptions& options,
                                           const std::function<Result<SolveResult>(const SolveContext&)>& run);

/// Solves in this process, on simulated shards if there is more than one, observed.
[[nodiscard]] Result<SolveResult> run_solver(const Problem& problem, const SolveSettings& settings);

}  // namespace gtvmin::app
