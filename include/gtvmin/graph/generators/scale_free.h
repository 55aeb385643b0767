#pragma once

#include <cstdint>

#include "gtvmin/graph/generators/generated_graph.h"

namespace gtvmin {

struct ScaleFreeParameters {
  NodeId nodes = 1000;
  /// Edges of each new node.
  NodeId attachments = 2;
  NodeId clusters = 4;
};

/// Barabási–Albert: a star of attachments + 1 nodes, then each new node is joined to `attachments` different earlier
/// nodes, chosen with probability proportional to their degree; every weight 1, attachments·(nodes − attachments)
/// edges. The clusters are the nodes nearest, in hops, to `clusters` nodes drawn among all.
[[nodiscard]] Result<GeneratedGraph> scale_free_graph(const ScaleFreeParameters& parameters, std::uint64_t seed);

}  // namespace gtvmin
