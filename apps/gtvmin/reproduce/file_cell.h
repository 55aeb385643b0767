#pragma once

#include "cell.h"
#include "gtvmin/baselines/baseline.h"
#include "gtvmin/solver/solver.h"

namespace gtvmin::app {

/// The cell of an experiment whose samples come from files: one point at the end or, watched, one after every
/// iteration. For MethodKind::kSolve and kBaseline.
[[nodiscard]] Result<CellOutcome> run_file_cell(const Cell& cell);

// What is worth knowing about a run.
[[nodiscard]] std::map<std::string, double> facts_of(const SolveResult& result);
[[nodiscard]] std::map<std::string, double> facts_of(const BaselineResult& result);

}  // namespace gtvmin::app
