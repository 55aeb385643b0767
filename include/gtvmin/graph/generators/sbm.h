#pragma once

#include <cstdint>
#include <vector>

#include "gtvmin/graph/generators/generated_graph.h"

namespace gtvmin {

struct SbmParameters {
  std::vector<NodeId> sizes = {100, 100};
  double p_in = 0.5;
  double p_out = 0.01;
};

/// Stochastic block model: two nodes of one cluster are joined with probability p_in, two nodes of different clusters
/// with probability p_out, independently; every weight is 1.
///
/// Time is proportional to nodes + edges: instead of one draw per pair, the number of pairs up to the next edge is
/// drawn, which is geometric. Pairs within and between clusters use separate streams, so p_out does not change the
/// edges inside clusters.
[[nodiscard]] Result<GeneratedGraph> sbm_graph(const SbmParameters& parameters, std::uint64_t seed);

}  // namespace gtvmin
