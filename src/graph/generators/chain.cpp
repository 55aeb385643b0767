#include "gtvmin/graph/generators/chain.h"

#include <fmt/format.h>

#include <cmath>

namespace gtvmin {

Result<GeneratedGraph> chain_graph(std::span<const NodeId> sizes, double epsilon) {
  if (!std::isfinite(epsilon) || epsilon < 0) {
    return usage_error(fmt::format("epsilon: {} is not a finite number ≥ 0", epsilon));
  }
  Result<Partition> clusters = consecutive_clusters(sizes);
  if (!clusters) return clusters.error();
  GeneratedGraph graph;
  graph.clusters = *std::move(clusters);
  const auto& cluster = graph.clusters.group_of;
  for (NodeId i = 0; i + 1 < graph.nodes(); ++i) {
    const double weight = cluster[i] == cluster[i + 1] ? 1.0 : epsilon;
    if (weight > 0) graph.edges.push_back({i, i + 1, weight});
  }
  return graph;
}

}  // namespace gtvmin
