#include "gtvmin/graph/generators/star.h"

#include <fmt/format.h>

#include <numeric>

namespace gtvmin {

Result<GeneratedGraph> star_graph(NodeId nodes) {
  if (nodes < 1) return usage_error(fmt::format("nodes: {} is not ≥ 1", nodes));
  GeneratedGraph graph;
  graph.clusters.groups = nodes;
  graph.clusters.group_of.resize(nodes);
  std::iota(graph.clusters.group_of.begin(), graph.clusters.group_of.end(), NodeId{0});
  for (NodeId i = 1; i < nodes; ++i) graph.edges.push_back({0, i, 1.0});
  return graph;
}

}  // namespace gtvmin
