#pragma once

#include <span>

#include "gtvmin/base/result.h"
#include "gtvmin/runtime/cluster.h"

namespace gtvmin {

/// Splits the nodes into parts of about the same work so that few edges are cut, by METIS. The same on every call.
[[nodiscard]] Result<Owners> partition_graph(const EmpiricalGraph& graph, std::span<const Index> work, int parts);

/// Edges whose ends have different owners.
[[nodiscard]] EdgeId cut_edges(const EmpiricalGraph& graph, const Owners& owners);

}  // namespace gtvmin
