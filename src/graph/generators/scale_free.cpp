#include "gtvmin/graph/generators/scale_free.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "gtvmin/base/rng.h"
#include "streams.h"

namespace gtvmin {
namespace {

Status check(const ScaleFreeParameters& p) {
  if (p.nodes < 2) return usage_error(fmt::format("nodes: {} is not ≥ 2", p.nodes));
  if (p.attachments < 1 || p.attachments >= p.nodes) {
    return usage_error(fmt::format("attachments: {} is not between 1 and nodes − 1", p.attachments));
  }
  if (std::int64_t{p.nodes} * p.attachments > std::numeric_limits<EdgeId>::max()) {
    return usage_error(fmt::format("attachments: {} for each of {} nodes are too many edges", p.attachments, p.nodes));
  }
  if (p.clusters < 1 || p.clusters > p.nodes) {
    return usage_error(fmt::format("clusters: {} is not between 1 and nodes", p.clusters));
  }
  return Unit{};
}

std::vector<WeightedEdge> attach(const ScaleFreeParameters& p, std::uint64_t seed) {
  Rng rng(seed, static_cast<std::uint64_t>(GraphStream::kAttachments));
  std::vector<WeightedEdge> edges;
  // Every node as often as its degree: a uniform pick is a pick proportional to the degree.
  std::vector<NodeId> ends;
  const auto join = [&](NodeId earlier, NodeId later) {
    edges.push_back({earlier, later, 1.0});
    ends.push_back(earlier);
    ends.push_back(later);
  };
  for (NodeId i = 1; i <= p.attachments; ++i) join(0, i);
  std::vector<NodeId> targets;
  for (NodeId i = p.attachments + 1; i < p.nodes; ++i) {
    targets.clear();
    while (targets.size() < static_cast<std::size_t>(p.attachments)) {
      const NodeId target = ends[rng.below(ends.size())];
      if (std::find(targets.begin(), targets.end(), target) == targets.end()) targets.push_back(target);
    }
    for (const NodeId target : targets) join(target, i);
  }
  std::sort(edges.begin(), edges.end(),
            [](const WeightedEdge& x, const WeightedEdge& y) { return std::tie(x.a, x.b) < std::tie(y.a, y.b); });
  return edges;
}

/// Breadth first from all seeds at once; the graph is connected, so every node is reached.
Partition nearest_seed(const EmpiricalGraph& graph, NodeId seeds, std::uint64_t seed) {
  Rng rng(seed, static_cast<std::uint64_t>(GraphStream::kClusterSeeds));
  std::vector<NodeId> cell_of(graph.nodes(), -1);
  std::vector<NodeId> queue;
  for (const std::uint64_t start : rng.choose(static_cast<std::uint64_t>(graph.nodes()), seeds)) {
    cell_of[start] = static_cast<NodeId>(queue.size());
    queue.push_back(static_cast<NodeId>(start));
  }
  for (std::size_t next = 0; next < queue.size(); ++next) {
    for (const Incidence& incidence : graph.incident(queue[next])) {
      if (cell_of[incidence.neighbour] >= 0) continue;
      cell_of[incidence.neighbour] = cell_of[queue[next]];
      queue.push_back(incidence.neighbour);
    }
  }
  return partition_by_label(cell_of);
}

}  // namespace

Result<GeneratedGraph> scale_free_graph(const ScaleFreeParameters& parameters, std::uint64_t seed) {
  if (const Status checked = check(parameters); !checked) return checked.error();
  GeneratedGraph generated;
  generated.edges = attach(parameters, seed);
  const Result<EmpiricalGraph> graph = EmpiricalGraph::make(parameters.nodes, generated.edges);
  if (!graph) return graph.error();
  generated.clusters = nearest_seed(*graph, parameters.clusters, seed);
  return generated;
}

}  // namespace gtvmin
