#pragma once

#include <span>

#include "gtvmin/baselines/baseline.h"

namespace gtvmin {

/// Why minimise_groups cannot serve this input; empty: it can.
[[nodiscard]] std::string group_refusal(const BaselineInput& input, const BaselineOptions& options);

/// For every group of nodes the w that minimises Σ_{i in group} L_i(w), given to all its nodes. Convex losses with a
/// Hessian by Newton's method; other convex losses as GTV minimisation along a path through the group, with a penalty
/// so strong that all models are equal; losses that are not convex on the samples of the group put together.
[[nodiscard]] Matrix minimise_groups(const BaselineInput& input, const Partition& groups);

}  // namespace gtvmin
