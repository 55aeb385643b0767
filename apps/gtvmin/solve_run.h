#pragma once

#include "gtvmin/base/result.h"
#include "gtvmin/io/result_files.h"
#include "gtvmin/problem/problem.h"
#include "gtvmin/solver/solver.h"
#include "solve_options.h"

namespace gtvmin::app {

/// Runs the solver, on simulated shards if there is more than one, with progress on stderr (if wanted); stops when an
/// InterruptGuard has noted a signal.
[[nodiscard]] Result<SolveResult> run_solver(const Problem& problem, const SolveSettings& settings);

}  // namespace gtvmin::app
