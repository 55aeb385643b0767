#pragma once

#include "gtvmin/graph/generators/generated_graph.h"

namespace gtvmin {

/// A star whose centre is node 0, `nodes` ≥ 1 in all, every weight 1. Every node is a cluster of its own.
[[nodiscard]] Result<GeneratedGraph> star_graph(NodeId nodes);

}  // namespace gtvmin
