#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gtvmin/solver/solver.h"
#include "gtvmin/solver/steering.h"
#include "gtvmin/solver/termination.h"

namespace gtvmin {

/// What a run by message passing alone carries from one iteration to the next, besides the w and u of the shards. With
/// both it goes on as if nothing had happened.
struct SolverState {
  Progress progress;
  PrimalWeight weight;
  bool convex = true;
  bool known_losses = false;  ///< every loss is a sum over samples
  double scale = 0;           ///< Σ_i Σ_{e∋i} c_e
  double size_at_start = 0;   ///< |objective| before the first iteration
  double inner_scale = 0;     ///< how far an iterative prox may be off
  std::vector<IterationRecord> trace;
};

/// As bytes, and back.
[[nodiscard]] std::string pack(const SolverState& state);
[[nodiscard]] Result<SolverState> unpack_state(std::string_view bytes);

}  // namespace gtvmin
