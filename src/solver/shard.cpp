#include "gtvmin/solver/shard.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gtvmin {
namespace {

void refresh_scale_sums(Shard& shard) {
  for (Index i = 0; i < shard.owned(); ++i) {
    double sum = 0;
    for (Index k = shard.first_incidence[i]; k < shard.first_incidence[i + 1]; ++k) {
      sum += shard.edges[shard.incidences[k].edge].scale;
    }
    shard.scale_sum[i] = sum;
  }
}

}  // namespace

Shard::Shard(const Problem& whole, std::vector<NodeId> owned_nodes) : problem(&whole), nodes(std::move(owned_nodes)) {
  const auto& graph = whole.graph();
  const auto owned_count = static_cast<Index>(nodes.size());
  std::vector<NodeId> local(graph.nodes(), -1);
  for (Index i = 0; i < owned_count; ++i) local[nodes[i]] = static_cast<NodeId>(i);

  for (Index i = 0; i < owned_count; ++i) {
    for (const auto& incidence : graph.incident(nodes[i])) edge_ids.push_back(incidence.edge);
  }
  std::sort(edge_ids.begin(), edge_ids.end());
  edge_ids.erase(std::unique(edge_ids.begin(), edge_ids.end()), edge_ids.end());
  edge_ids.shrink_to_fit();

  std::vector<NodeId> ghosts;
  for (const EdgeId e : edge_ids) {
    for (const NodeId end : {graph.head(e), graph.tail(e)}) {
      if (local[end] < 0) ghosts.push_back(end);
    }
  }
  std::sort(ghosts.begin(), ghosts.end());
  ghosts.erase(std::unique(ghosts.begin(), ghosts.end()), ghosts.end());
  for (const NodeId ghost : ghosts) {
    local[ghost] = static_cast<NodeId>(nodes.size());
    nodes.push_back(ghost);
  }

  edges.reserve(edge_ids.size());
  for (const EdgeId e : edge_ids) {
    const NodeId head = local[graph.head(e)];
    edges.push_back({head, local[graph.tail(e)], whole.kappa(e), 1.0, head < owned_count});
  }
  incidences.reserve(2 * edges.size());
  first_incidence.reserve(owned_count + 1);
  first_incidence.push_back(0);
  for (Index i = 0; i < owned_count; ++i) {
    for (const auto& incidence : graph.incident(nodes[i])) {
      const auto position = std::lower_bound(edge_ids.begin(), edge_ids.end(), incidence.edge);
      incidences.push_back({static_cast<EdgeId>(position - edge_ids.begin()), incidence.sign});
    }
    first_incidence.push_back(static_cast<Index>(incidences.size()));
  }
  scale_sum.resize(owned_count);
  refresh_scale_sums(*this);

  const Index d = whole.dimension();
  w = Matrix::Zero(d, local_nodes());
  w_next = Matrix::Zero(d, local_nodes());
  u = Matrix::Zero(d, local_edges());
  gradient = Matrix::Zero(d, owned_count);
}

void set_unit_scales(Shard& shard) {
  for (auto& edge : shard.edges) edge.scale = 1;
  refresh_scale_sums(shard);
}

void set_weight_scales(Shard& shard) {
  const auto& graph = shard.problem->graph();
  for (Index e = 0; e < shard.local_edges(); ++e) shard.edges[e].scale = std::sqrt(graph.weight(shard.edge_ids[e]));
  refresh_scale_sums(shard);
}

}  // namespace gtvmin
