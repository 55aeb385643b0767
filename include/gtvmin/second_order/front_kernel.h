#pragma once

#include <functional>

#include "gtvmin/base/types.h"

namespace gtvmin {

/// A front: a symmetric matrix of size w + r, column-major, of which only the lower triangle is used. The panel holds
/// its first w columns of w + r rows each, the update its last r columns of r rows each.
struct Front {
  double* panel;
  double* update;
  Index w;
  Index r;
};

/// Work on a large front: divided into pieces whose results do not depend on the thread that computes them.
struct FrontTeam {
  /// Calls piece(0) … piece(count − 1), in any order, possibly at the same time.
  const std::function<void(Index count, const std::function<void(Index)>& piece)>& run;
  const std::function<bool()>& stop;
};

/// Fronts with more flops than this are worth a FrontTeam.
constexpr double kLargeFront = 5e6;

/// Eliminates the w columns: panel = L, update −= L₂ L₂ᵀ. False if a pivot is not positive and finite.
[[nodiscard]] bool eliminate_front(const Front& front);
/// The same for a large front. Also false if stop() is true between two panels of columns.
[[nodiscard]] bool eliminate_front(const Front& front, const FrontTeam& team);

}  // namespace gtvmin
