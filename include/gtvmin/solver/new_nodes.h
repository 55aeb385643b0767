#pragma once

#include <vector>

#include "gtvmin/base/result.h"
#include "gtvmin/graph/empirical_graph.h"
#include "gtvmin/penalty/penalty.h"

namespace gtvmin {

/// Parameters for nodes that took no part in a training: those that minimise the weighted penalty to their neighbours',
/// Σ A_e φ(w_{e₊} − w_{e₋}) over all edges at new nodes, while the known nodes stay as they are.
///
/// Nodes 0 … known.cols() − 1 are known, their parameters the columns of `known`; the others of the graph are new.
/// Edges between known nodes do not count. Gives the columns of the new nodes, each of which must be connected with a
/// known one, see unreachable_nodes.
[[nodiscard]] Result<Matrix> parameters_of_new_nodes(const Matrix& known, const EmpiricalGraph& graph, Penalty penalty);

/// The nodes that no path connects with one of the first `known`.
[[nodiscard]] std::vector<NodeId> unreachable_nodes(const EmpiricalGraph& graph, NodeId known);

}  // namespace gtvmin
