#pragma once

#include <span>

#include "gtvmin/graph/generators/generated_graph.h"

namespace gtvmin {

/// A path through the clusters, one after the other: weight 1 inside a cluster, `epsilon` ≥ 0 on each edge that joins
/// two clusters; epsilon = 0 leaves that edge out.
[[nodiscard]] Result<GeneratedGraph> chain_graph(std::span<const NodeId> sizes, double epsilon);

}  // namespace gtvmin
