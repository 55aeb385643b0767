#include "gtvmin/solver/shard.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "gtvmin/base/huge_pages.h"
#include "gtvmin/loss/quadratic_loss.h"

namespace gtvmin {
namespace {

/// An edge by the ranks of its ends, the smaller first.
struct RankedEdge {
  NodeId head = 0;
  NodeId tail = 0;
  EdgeId id = 0;
};

std::vector<RankedEdge> ranked_edges(const EmpiricalGraph& graph, const std::vector<NodeId>& ranks) {
  std::vector<RankedEdge> edges(graph.edges());
  for (EdgeId e = 0; e < graph.edges(); ++e) {
    const auto [head, tail] = std::minmax(ranks[graph.head(e)], ranks[graph.tail(e)]);
    edges[e] = {head, tail, e};
  }
  const auto before = [](const RankedEdge& a, const RankedEdge& b) {
    return a.head != b.head ? a.head < b.head : a.tail < b.tail;
  };
  if (!std::is_sorted(edges.begin(), edges.end(), before)) std::sort(edges.begin(), edges.end(), before);
  return edges;
}

/// The first head of every block: blocks have about the same number of edges, and all edges of one head are in one.
std::vector<NodeId> first_heads(const std::vector<RankedEdge>& edges, Index dimension) {
  constexpr std::int64_t kNumbersOfBlock = 1 << 14;
  constexpr std::int64_t kMostBlocks = 8;
  const auto count = static_cast<std::int64_t>(edges.size());
  const std::int64_t blocks = std::clamp<std::int64_t>(count * dimension / kNumbersOfBlock, 1, kMostBlocks);
  std::vector<NodeId> heads{0};
  for (std::int64_t k = 1; k < blocks; ++k) {
    const NodeId head = edges[k * count / blocks].head;
    if (head > heads.back()) heads.push_back(head);
  }
  return heads;
}

/// The block of every rank.
std::vector<std::size_t> blocks_of(const std::vector<NodeId>& first_heads, NodeId ranks) {
  std::vector<std::size_t> blocks(ranks);
  std::size_t block = 0;
  for (NodeId rank = 0; rank < ranks; ++rank) {
    if (block + 1 < first_heads.size() && rank == first_heads[block + 1]) ++block;
    blocks[rank] = block;
  }
  return blocks;
}

/// How far neighbours are from each other, in bits.
std::int64_t spread(const EmpiricalGraph& graph, const std::vector<NodeId>& ranks) {
  std::int64_t bits = 0;
  for (EdgeId e = 0; e < graph.edges(); ++e) {
    bits += std::bit_width(static_cast<std::uint32_t>(std::abs(ranks[graph.head(e)] - ranks[graph.tail(e)])));
  }
  return bits;
}

void refresh_scale_sums(Shard& shard) {
  shard.prox_omega = 0;
  std::fill(shard.scale_sum.begin(), shard.scale_sum.end(), 0);
  const auto owned = static_cast<NodeId>(shard.owned());
  for (std::size_t k = 0; k + 1 < shard.runs.size(); ++k) {
    for (EdgeId e = shard.runs[k].first; e < shard.runs[k + 1].first; ++e) {
      if (shard.runs[k].head < owned) shard.scale_sum[shard.runs[k].head] += shard.scale(e);
      if (shard.ends[e].tail < owned) shard.scale_sum[shard.ends[e].tail] += shard.scale(e);
    }
  }
}

/// Lays the numbers of the quadratic losses one after another, so that a sweep over the nodes reads them in order: a
/// step matrix where the loss is regular, else a copy of the eigenform if the problem has nodes in another order.
void gather_proxes(Shard& shard) {
  const Index d = shard.problem->dimension();
  const auto owned = shard.owned();
  const bool reordered = !std::is_sorted(shard.nodes.begin(), shard.nodes.begin() + owned);
  const auto has_step = [d](const QuadraticForm& form) { return form.rank == d && d <= kMostStepRows; };
  shard.proxes.resize(owned);
  Index numbers = 0;
  for (Index i = 0; i < owned; ++i) {
    const LocalLoss& loss = shard.problem->loss(shard.nodes[i]);
    const QuadraticForm* form = loss.quadratic_form();
    if (form == nullptr) continue;
    shard.quadratic_minima.add(loss.lower_bound());
    shard.proxes[i].form = *form;
    if (has_step(*form))
      numbers += d + step_matrix_size(d);
    else if (reordered)
      numbers += d + form->rank + d * form->rank;
  }
  shard.prox_numbers.resize(numbers);
  prefer_huge_pages(shard.prox_numbers.data(), numbers);
  double* to = shard.prox_numbers.data();
  const auto gather = [&to](const double*& from, Index count) {
    std::copy_n(from, count, to);
    from = std::exchange(to, to + count);
  };
  for (auto& [form, step, tau, pull] : shard.proxes) {
    if (form.minimiser == nullptr) continue;
    if (has_step(form)) {
      gather(form.minimiser, d);
      step = std::exchange(to, to + step_matrix_size(d));
    } else if (reordered) {
      gather(form.minimiser, d);
      gather(form.eigenvalues, form.rank);
      gather(form.basis, d * form.rank);
    }
  }
}

void add_up_flow(Shard& shard) {
  shard.flow.setZero();
  for (std::size_t k = 0; k + 1 < shard.runs.size(); ++k) {
    for (EdgeId e = shard.runs[k].first; e < shard.runs[k + 1].first; ++e) {
      if (shard.runs[k].slot >= 0) shard.flow.col(shard.runs[k].slot) += shard.u.col(e);
      if (shard.ends[e].slot >= 0) shard.flow.col(shard.ends[e].slot) -= shard.u.col(e);
    }
  }
}

}  // namespace

std::vector<NodeId> locality_ranks(const EmpiricalGraph& graph) {
  std::vector<NodeId> numbers(graph.nodes());
  std::iota(numbers.begin(), numbers.end(), 0);
  constexpr NodeId kFewNodes = 5000;  // everything is near
  if (graph.nodes() <= kFewNodes) return numbers;
  const std::vector<NodeId> order = breadth_first(graph).order;
  std::vector<NodeId> ranks(graph.nodes());
  for (NodeId rank = 0; rank < graph.nodes(); ++rank) ranks[order[rank]] = rank;
  const auto by_numbers = static_cast<double>(spread(graph, numbers));
  return static_cast<double>(spread(graph, ranks)) < 0.9 * by_numbers ? ranks : numbers;
}

Shard Shard::whole(const Problem& problem) {
  std::vector<NodeId> everyone(problem.nodes());
  std::iota(everyone.begin(), everyone.end(), 0);
  return {problem, std::move(everyone)};
}

Shard::Shard(const Problem& all, std::vector<NodeId> owned_nodes) : problem(&all), nodes(std::move(owned_nodes)) {
  const auto& graph = all.graph();
  const auto owned_count = static_cast<Index>(nodes.size());
  const std::vector<NodeId> ranks = locality_ranks(graph);
  const std::vector<RankedEdge> all_edges = ranked_edges(graph, ranks);
  const std::vector<NodeId> heads = first_heads(all_edges, all.dimension());
  const std::vector<std::size_t> blocks = blocks_of(heads, graph.nodes());
  const auto by_rank = [&](NodeId a, NodeId b) { return ranks[a] < ranks[b]; };
  std::sort(nodes.begin(), nodes.end(), by_rank);
  std::vector<char> is_owned(graph.nodes(), 0);
  for (const NodeId i : nodes) is_owned[i] = 1;
  const auto has_ghost = [&](NodeId i) {
    const auto& incident = graph.incident(i);
    return std::any_of(incident.begin(), incident.end(), [&](const auto& end) { return is_owned[end.neighbour] == 0; });
  };
  boundary = std::stable_partition(nodes.begin(), nodes.end(), has_ghost) - nodes.begin();
  std::vector<NodeId> local(graph.nodes(), -1);  // of a rank
  for (Index i = 0; i < owned_count; ++i) local[ranks[nodes[i]]] = static_cast<NodeId>(i);

  std::vector<RankedEdge> edges;
  std::vector<NodeId> ghosts;
  if (owned_count == graph.nodes()) edges.reserve(all_edges.size());
  for (const auto& edge : all_edges) {
    if (local[edge.head] < 0 && local[edge.tail] < 0) continue;
    edges.push_back(edge);
    for (const NodeId end : {graph.head(edge.id), graph.tail(edge.id)}) {
      if (local[ranks[end]] < 0) ghosts.push_back(end);
    }
  }
  std::sort(ghosts.begin(), ghosts.end(), by_rank);
  ghosts.erase(std::unique(ghosts.begin(), ghosts.end()), ghosts.end());
  for (const NodeId ghost : ghosts) {
    local[ranks[ghost]] = static_cast<NodeId>(nodes.size());
    nodes.push_back(ghost);
  }
  edge_ids.reserve(edges.size());
  signs.reserve(edges.size());
  for (const auto& edge : edges) {
    edge_ids.push_back(edge.id);
    signs.push_back(ranks[graph.head(edge.id)] == edge.head ? 1 : -1);
  }

  // A slot for every block from which a node gets flow as a tail, and one, the last, for the node's own block. The
  // edges at hand ascend, so for each tail the blocks do.
  std::vector<NodeId> slots(owned_count, 1);
  std::vector<std::size_t> last_block(owned_count, heads.size());
  const auto opens_slot = [&](const RankedEdge& edge) {
    const NodeId tail = local[edge.tail];
    const std::size_t block = blocks[edge.head];
    if (tail >= owned_count || block == blocks[edge.tail]) return false;
    return std::exchange(last_block[tail], block) != block;
  };
  for (const auto& edge : edges) {
    if (opens_slot(edge)) ++slots[local[edge.tail]];
  }
  first_slot.assign(1, 0);
  for (const NodeId count : slots) first_slot.push_back(first_slot.back() + count);

  ends.reserve(edges.size());
  std::fill(last_block.begin(), last_block.end(), heads.size());
  std::vector<NodeId> slot_of(owned_count);  // of the block at hand
  for (Index i = 0; i < owned_count; ++i) slot_of[i] = first_slot[i] - 1;
  for (const auto& edge : edges) {
    const NodeId head = local[edge.head];
    const NodeId tail = local[edge.tail];
    if (runs.empty() || runs.back().head != head) {
      while (first_run.size() <= blocks[edge.head]) first_run.push_back(static_cast<Index>(runs.size()));
      const NodeId slot = head < owned_count ? first_slot[head + 1] - 1 : -1;
      runs.push_back({head, slot, static_cast<EdgeId>(ends.size())});
    }
    if (opens_slot(edge)) ++slot_of[tail];
    NodeId slot = -1;
    if (tail < owned_count) {
      const bool same_block = blocks[edge.head] == blocks[edge.tail];
      slot = same_block ? first_slot[tail + 1] - 1 : slot_of[tail];
    }
    ends.push_back({tail, slot});
  }
  first_run.resize(heads.size() + 1, static_cast<Index>(runs.size()));
  runs.push_back({0, -1, static_cast<EdgeId>(ends.size())});

  uniform_edges = std::all_of(edge_ids.begin(), edge_ids.end(),
                              [&](EdgeId e) { return graph.weight(e) == graph.weight(edge_ids.front()); });
  for (const EdgeId e : edge_ids) {
    kappas.push_back(all.kappa(e));
    if (uniform_edges) break;
  }
  trains_nets = !is_convex(all);
  scale_sum.resize(owned_count);
  set_unit_scales(*this);
  gather_proxes(*this);

  const Index d = all.dimension();
  w = large_zeros(d, local_nodes());
  for (Index i = 0; i < local_nodes(); ++i) all.loss(nodes[i]).start(w.col(i));
  w_next = large_zeros(d, local_nodes());
  u = large_zeros(d, local_edges());
  flow = large_zeros(d, first_slot.back());
  gradient = Matrix::Zero(d, owned_count);
  start_window(*this);
}

void get_state(const Shard& shard, Matrix& w, Matrix& u) {
  for (Index i = 0; i < shard.owned(); ++i) w.col(shard.nodes[i]) = shard.w.col(i);
  for (Index e = 0; e < shard.local_edges(); ++e) u.col(shard.edge_ids[e]) = shard.signs[e] * shard.u.col(e);
}

void set_state(Shard& shard, const Matrix& w, const Matrix& u) {
  for (Index i = 0; i < shard.local_nodes(); ++i) shard.w.col(i) = w.col(shard.nodes[i]);
  for (Index e = 0; e < shard.local_edges(); ++e) shard.u.col(e) = shard.signs[e] * u.col(shard.edge_ids[e]);
  add_up_flow(shard);
  start_window(shard);
}

void set_window(Shard& shard, const Matrix& w, const Matrix& u) {
  for (Index i = 0; i < shard.owned(); ++i) shard.w_window.col(i) = w.col(shard.nodes[i]);
  for (Index e = 0; e < shard.local_edges(); ++e) shard.u_window.col(e) = shard.signs[e] * u.col(shard.edge_ids[e]);
}

void start_window(Shard& shard) {
  shard.w_window = shard.w.leftCols(shard.owned());
  shard.u_window = shard.u;
}

void set_unit_scales(Shard& shard) {
  shard.scales.assign(shard.kappas.size(), 1);
  refresh_scale_sums(shard);
}

void set_weight_scales(Shard& shard) {
  const auto& graph = shard.problem->graph();
  for (std::size_t e = 0; e < shard.scales.size(); ++e) shard.scales[e] = std::sqrt(graph.weight(shard.edge_ids[e]));
  refresh_scale_sums(shard);
}

}  // namespace gtvmin
