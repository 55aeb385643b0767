#pragma once

#include <vector>

#include "gtvmin/base/types.h"
#include "gtvmin/graph/empirical_graph.h"

namespace gtvmin {

/// Demands fixed_i + scaled_i/s at the nodes of a connected graph are to be sent to one of them, the sink, over edges
/// with their weights as capacities.
struct SinkRouting {
  /// The least s for which that is possible with room to spare, over all sinks; ∞ if the fixed demands are too much.
  /// At least that s, and above it by less than a millionth.
  double scale = 0;
  NodeId sink = 0;
  /// The nodes whose demand limits s: with A this set and cut(A) the weight of the edges that leave it,
  /// s = Σ_A scaled_i/(cut(A) − Σ_A fixed_i). Empty if there is no demand.
  std::vector<NodeId> tight;
  double tight_cut = 0;  ///< cut(A)
  /// True if every sink was tried or excluded; false where the limit of sinks was reached first.
  bool every_sink = true;
};

/// By maximum flows in integers, capacities rounded down and demands up, so that a flow that is found proves that the
/// demands can be routed. Newton's method on s per sink: a set that violates s gives the next s, and excludes s for
/// every sink outside of it. Demands are ≥ 0.
[[nodiscard]] SinkRouting least_sink_scale(const EmpiricalGraph& graph, const Vector& fixed, const Vector& scaled);

}  // namespace gtvmin
