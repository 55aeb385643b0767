#pragma once

#include "cell.h"

namespace gtvmin::app {

/// The cell of an experiment whose samples come from files: one point at the end or, watched, one after every
/// iteration. For MethodKind::kSolve and kBaseline.
[[nodiscard]] Result<CellOutcome> run_file_cell(const Cell& cell);

}  // namespace gtvmin::app
