#pragma once

#include "gtvmin/problem/dataset.h"
#include "gtvmin/similarity/node_distances.h"

namespace gtvmin {

/// 1 − correlation between nodes that are time series: the two features of a sample are its time and its value, and
/// Pearson's correlation is taken over the times that two nodes have in common. With `absolute`, 1 − |correlation|.
/// Two nodes with fewer than `overlap` common times (≥ 2) cannot be compared: +∞. A series that is constant over the
/// common times has correlation 0 with any other. Fails on a node with two values for one time.
/// Leaves a site: its series.
[[nodiscard]] Result<NodeDistances> correlation_distances(const Dataset& dataset, bool absolute, Index overlap,
                                                          const SimilarityContext& context);

}  // namespace gtvmin
