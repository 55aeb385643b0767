#pragma once

#include <functional>

#include "gtvmin/loss/local_loss.h"

namespace gtvmin {

struct LocalMinimiser {
  Vector w;
  /// False if the loss only falls towards a minimum at infinity (logistic loss on separable data); w is then a point
  /// far out, where it can no longer fall by much.
  bool attained = true;
};

/// The minimiser of one loss on its own, the one nearest to its start (0 for most) where there are many: what an
/// isolated node learns. Of a loss that is not convex, what a few dozen prox steps find.
/// `stop` is asked before every step; true ends the search where it is, at first at the start of the loss.
[[nodiscard]] LocalMinimiser minimise_locally(const LocalLoss& loss, const std::function<bool()>& stop = {});

}  // namespace gtvmin
