#pragma once

#include "gtvmin/base/types.h"
#include "gtvmin/loss/local_loss.h"

namespace gtvmin {

/// Relative: what a flow may miss at a node by rounding.
constexpr double kNegligibleMiss = 1e-11;

/// For a loss with kinks, or one that cannot bound Hessian steps: a subgradient y at a point z next to w that is next
/// to `target`. z = prox(w + target/ρ, ρ) has target + ρ(w − z) as one. Returns L(w) + L*(y) − ⟨y, w⟩.
[[nodiscard]] double subgradient_by_prox(const LocalLoss& loss, ConstVectorRef w, ConstVectorRef target, VectorRef y);

/// What one node has to do with a duality gap if the flow is taken as it is, s = (Dᵀu)_i: it needs nothing but its own.
struct NodeShare {
  double gap = 0;       ///< L(w) + L*(y) − ⟨y, w⟩ with the y next to −s that has a finite conjugate
  double miss = 0;      ///< ‖y + s‖, which costs as much as an optimum may be away from w
  double residual = 0;  ///< ‖∇L(w) + s‖
  double gradient = 0;  ///< ‖∇L(w)‖
  double size = 0;      ///< of what was added up for it; rounding is relative to this
};
[[nodiscard]] NodeShare node_share(const LocalLoss& loss, ConstVectorRef w, ConstVectorRef s);

}  // namespace gtvmin
