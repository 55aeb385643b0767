#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gtvmin/base/result.h"
#include "gtvmin/base/types.h"
#include "gtvmin/penalty/custom_penalty.h"
#include "gtvmin/penalty/l1.h"
#include "gtvmin/penalty/l2.h"
#include "gtvmin/penalty/linf.h"
#include "gtvmin/penalty/quadratic.h"
#include "gtvmin/penalty/squared_l2.h"

namespace gtvmin {

/// φ, the penalty on the difference of two neighbours' parameters. A value; the alternatives are listed here and
/// nowhere else. Kernels visit it once per sweep, not once per edge.
using Penalty = std::variant<L2Penalty, L1Penalty, LinfPenalty, SquaredL2Penalty, QuadraticPenalty, CustomPenalty>;

/// The names that make_penalty knows, in the order of the documentation.
[[nodiscard]] const std::vector<std::string>& penalty_names();

/// `q` is used by "quadratic" only: symmetric positive semidefinite, d × d.
[[nodiscard]] Result<Penalty> make_penalty(std::string_view name, const Matrix& q = {});

[[nodiscard]] std::string penalty_name(const Penalty& penalty);
/// A norm: its optimum is exactly constant on clusters, and φ* is the indicator of the unit ball of the dual norm.
[[nodiscard]] bool is_norm(const Penalty& penalty);
/// The largest q with φ(v) ≥ q‖v‖²/2 for all v, where the penalty is quadratic; 0 for any other.
[[nodiscard]] double quadratic_modulus(const Penalty& penalty);

}  // namespace gtvmin
