#pragma once

#include <functional>
#include <optional>

#include "gtvmin/base/result.h"
#include "gtvmin/io/result_files.h"
#include "gtvmin/problem/problem.h"
#include "gtvmin/runtime/simulated_network.h"
#include "gtvmin/solver/solver.h"
#include "solve_options.h"

namespace gtvmin::app {

/// Runs a solver with progress on stderr, if wanted; it stops when an InterruptGuard has noted a signal.
[[nodiscard]] Result<SolveResult> observed(bool progress, const SolverOptions& options,
                                           const std::function<Result<SolveResult>(const SolveContext&)>& run);

/// Solves in this process, on simulated shards if there is more than one, observed. `network`, if given, is told
/// what travelled between them.
[[nodiscard]] Result<SolveResult> run_solver(const Problem& problem, const SolveSettings& settings,
                                             std::optional<NetworkReport>* network = nullptr);

}  // namespace gtvmin::app
