#pragma once

#include <optional>

#include "gtvmin/base/thread_team.h"
#include "gtvmin/base/types.h"
#include "gtvmin/problem/problem.h"

namespace gtvmin {

/// A state from which message passing has only local work left.
struct CoarseStart {
  Matrix w;
  Matrix u;
  double slowness = 1;  ///< the fraction of the weight matched to the losses that suits the size of the graph
};

/// Where parameters must agree over long distances, messages that travel an edge an iteration take long. So neighbours
/// are paired again and again, which gives ever smaller problems (cluster graphs); the smallest is solved first, and
/// its solution, handed down level by level and improved on each by some iterations, is where the next one starts.
/// Only for norm penalties and losses that are curved everywhere; none if distances are short or pairing does not make
/// the problem smaller.
[[nodiscard]] std::optional<CoarseStart> coarse_to_fine_start(const Problem& problem, ThreadTeam& team);

}  // namespace gtvmin
