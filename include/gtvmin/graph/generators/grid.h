#pragma once

#include "gtvmin/graph/generators/generated_graph.h"

namespace gtvmin {

/// A rows × cols grid, numbered row by row, joined to the neighbours on the right and below, every weight 1. The
/// clusters are its four quadrants (fewer where a side has length 1); the first half of an odd side is the shorter.
[[nodiscard]] Result<GeneratedGraph> grid_graph(NodeId rows, NodeId cols);

}  // namespace gtvmin
