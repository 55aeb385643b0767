#pragma once

#include "gtvmin/problem/model.h"
#include "gtvmin/similarity/node_distances.h"

namespace gtvmin {

/// What every node learns alone: column i minimises node i's own loss, the smallest minimiser where there are many.
/// Fails on nodes whose loss has no minimum (logistic, separable labels, no ridge).
[[nodiscard]] Result<Matrix> fit_local_parameters(const Dataset& dataset, const ModelSpec& model,
                                                  const SimilarityContext& context);

/// The Euclidean distances between those parameters. Leaves a site: its parameters.
[[nodiscard]] Result<NodeDistances> distances_between_parameters(const Dataset& dataset, const ModelSpec& model,
                                                                 const SimilarityContext& context);

}  // namespace gtvmin
