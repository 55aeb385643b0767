#pragma once

#include <string_view>

#include "gtvmin/base/types.h"

namespace gtvmin {

/// How far the objective at w can be above the optimum, and what that claim rests on.
struct Certificate {
  enum class Kind {
    kGap,              ///< F(w) − F* ≤ value, unconditionally: a duality gap.
    kGapWithinRadius,  ///< F(w) − F* ≤ value if some optimum lies within `radius` of w (Euclidean, per node).
    kResidualOnly,     ///< No bound; value is the norm of the optimality residual.
    kNoneNonconvex     ///< The problem is not convex; value is the norm of the optimality residual.
  };
  Kind kind = Kind::kResidualOnly;
  double value = 0;
  /// value / max(|F(w)|, 1e-9·|F(0)|): relative to the objective, and still meaningful where the optimum is 0.
  double relative = 0;
  double radius = 0;
  /// What each node and each edge adds to value; both are ≥ 0 and sum to it.
  Vector node_terms;
  Vector edge_terms;
};

[[nodiscard]] std::string_view to_string(Certificate::Kind kind);
/// True if `value` bounds F(w) − F*, with or without a radius.
[[nodiscard]] bool is_bound(const Certificate& certificate);

}  // namespace gtvmin
