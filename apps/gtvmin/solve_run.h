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

using NamedFiles = std::vector<std::pair<std::string, std::string>>;

/// Writes files (names with contents) as a directory that appears whole or not at all.
[[nodiscard]] Status write_directory(const std::string& path, bool force, const NamedFiles& files);

}  // namespace gtvmin::app
