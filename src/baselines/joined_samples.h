#pragma once

#include <vector>

#include "gtvmin/baselines/baseline.h"

namespace gtvmin {

/// Σ_{i in members} L_i as one loss of the same kind where that is possible and there is no Hessian to sum: absolute
/// residuals and sparse graphical models. Null for any other model. Needs dataset and model.
[[nodiscard]] LossPtr sum_of_its_kind(const BaselineInput& input, const std::vector<NodeId>& members);

}  // namespace gtvmin
