#pragma once

#include <string_view>

#include "gtvmin/base/types.h"

namespace gtvmin {

/// How far the objective at w can be above the optimum, and what that statement rests on.
struct Certificate {
  enum class Kind {
    kGap,              ///< F(w) − F* ≤ value: a theorem in exact arithmetic, rounding of the evaluation included.
    kNoneCollinear,    ///< No bound: collinear or missing features leave the level of the parameters undetermined.
    kNoneUnbounded,    ///< No bound: no optimum can be located, as with separable classes and no ridge.
    kNoneUnknownLoss,  ///< No bound: the loss does not tell where its optimum can be.
    kNoneNonconvex,    ///< No bound: the problem is not convex.
    kNoneUnfinished    ///< No bound: the run had to end before there was one, and to find one would have taken long.
  };
  Kind kind = Kind::kNoneUnknownLoss;
  /// Without a bound: the duality gap as far as it is known, an estimate; for kNoneNonconvex the norm of the residual.
  double value = 0;
  double relative = 0;
  /// The part of value that is no charge for what the balance misses: the gap of the pair itself.
  double gap = 0;
  /// F(w) − value: a lower bound of the optimal value for kGap.
  double dual_value = 0;
  /// What each node and each edge adds to value; both are ≥ 0.
  Vector node_terms;
  Vector edge_terms;
};

/// A bound that rests on the least values of losses, because no optimum could be located in a component, is stated if
/// its relative gap is below this: one that leaves half of the objective open says less than why there is none.
inline constexpr double kWorthStating = 0.5;

[[nodiscard]] std::string_view to_string(Certificate::Kind kind);
/// True if `value` bounds F(w) − F*.
[[nodiscard]] bool is_bound(const Certificate& certificate);

/// value / max(|objective|, 1e-9·|objective at the start|): relative to the objective, and still meaningful where the
/// optimum is 0.
[[nodiscard]] double relative_gap(double value, double objective, double start_objective);

}  // namespace gtvmin
