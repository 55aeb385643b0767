#pragma once

#include <span>

#include "gtvmin/graph/empirical_graph.h"

namespace gtvmin {

/// Entries of the Cholesky factor of a matrix with one row per node and one entry per edge, in a fill-reducing order;
/// +∞, without trying, for graphs so large and dense that it is sure to be useless.
[[nodiscard]] double cholesky_entries(const EmpiricalGraph& graph, std::span<const char> keep = {});

}  // namespace gtvmin
