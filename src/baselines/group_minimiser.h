#pragma once

#include "gtvmin/baselines/baseline.h"

namespace gtvmin {

/// Why minimise_groups cannot serve this input; empty: it can.
[[nodiscard]] std::string group_refusal(const BaselineInput& input, const BaselineOptions& options);

struct GroupMinimisers {
  Matrix w;                        ///< d × nodes
  std::vector<std::string> notes;  ///< groups whose sum of losses has no minimiser
};

/// For every group of nodes the w that minimises Σ_{i in group} L_i(w), given to all its nodes. Convex losses with a
/// Hessian by Newton's method; absolute residuals as those of one node; other convex losses as GTV minimisation on a
/// star, with a penalty so strong that all models are equal; losses that are not convex on the samples of the group put
/// together.
[[nodiscard]] GroupMinimisers minimise_groups(const BaselineInput& input, const Partition& groups);

/// As the result of a method without rounds.
[[nodiscard]] BaselineResult run_groups(const BaselineInput& input, const Partition& groups,
                                        const BaselineOptions& options, const BaselineContext& context);

}  // namespace gtvmin
