#pragma once

#include <string>
#include <string_view>

#include "gtvmin/base/result.h"
#include "gtvmin/base/types.h"
#include "gtvmin/solver/solver_state.h"

namespace gtvmin {

/// A run between two iterations: with this it goes on as if nothing had happened, on however many processes.
struct Checkpoint {
  std::string problem;  ///< tells problems and options apart: a run goes on only with its own
  SolverState state;
  Matrix w;         ///< d × nodes
  Matrix u;         ///< d × edges
  Matrix w_window;  ///< both when the primal weight last changed
  Matrix u_window;
};

/// As bytes with a checksum, and back. Damaged bytes are recognised.
[[nodiscard]] std::string pack(const Checkpoint& checkpoint);
[[nodiscard]] Result<Checkpoint> unpack_checkpoint(std::string_view bytes);

}  // namespace gtvmin
