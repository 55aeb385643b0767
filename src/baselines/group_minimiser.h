#pragma once

#include "gtvmin/baselines/baseline.h"

namespace gtvmin {

/// Why run_groups cannot serve this input; empty: it can.
[[nodiscard]] std::string group_refusal(const BaselineInput& input, const BaselineOptions& options);

/// For every group of nodes the w that minimises Σ_{i in group} L_i(w), given to all its nodes. Convex losses with a
/// Hessian by Newton's method; absolute residuals as those of one node; other convex losses as GTV minimisation on a
/// star, with a penalty so strong that all models are equal; losses that are not convex on the samples of the group put
/// together. Notes name groups whose sum of losses has no minimiser. Where the caller says stop, groups are left where
/// they are, at first at the start.
[[nodiscard]] BaselineResult run_groups(const BaselineInput& input, const Partition& groups,
                                        const BaselineOptions& options, const BaselineContext& context);

}  // namespace gtvmin
