#include "gtvmin/second_order/elimination_plan.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>
#include <utility>

#include "gtvmin/second_order/elimination_tree.h"

namespace gtvmin {
namespace {

/// Time of a front beside its flops, in flops: per scalar of the front, and per front.
constexpr double kFlopsPerEntry = 4;
constexpr double kFlopsPerFront = 100;

/// Updates may take this multiple of the numbers that the factor may have.
constexpr double kMostUpdates = 3;

/// Columns w and rows r of a supernode, in nodes.
struct FrontSize {
  NodeId w;
  NodeId r;
};

double front_cost(FrontSize size, Index block) {
  const auto d = static_cast<double>(block);
  const double w = size.w * d;
  const double r = size.r * d;
  return elimination_flops(w, r) + kFlopsPerEntry * (w + r) * (w + r) + kFlopsPerFront;
}

/// Supernodes of an elimination tree, a forest themselves, in postorder.
struct SupernodeTree {
  std::vector<NodeId> of_column;
  std::vector<NodeId> parent;
  std::vector<FrontSize> size;
};

/// Chains of columns with the same rows.
SupernodeTree fundamental_supernodes(const EliminationTree& tree) {
  const auto nodes = static_cast<NodeId>(tree.order.size());
  SupernodeTree result;
  result.of_column.resize(tree.order.size());
  std::vector<NodeId> last;  // column
  for (NodeId j = 0; j < nodes; ++j) {
    const bool continues = j > 0 && tree.parent[j - 1] == j && tree.count[j - 1] == tree.count[j] + 1;
    if (!continues) {
      result.size.push_back({0, 0});
      last.push_back(j);
    }
    result.of_column[j] = static_cast<NodeId>(last.size()) - 1;
    ++result.size.back().w;
    result.size.back().r = tree.count[j] - 1;
    last.back() = j;
  }
  for (const NodeId j : last) result.parent.push_back(tree.parent[j] < 0 ? -1 : result.of_column[tree.parent[j]]);
  return result;
}

/// Merges children into their parents where the larger front takes less time than the two. Labels stay in an order in
/// which children precede parents.
SupernodeTree amalgamate(SupernodeTree tree, Index block) {
  const auto count = static_cast<NodeId>(tree.parent.size());
  std::vector<NodeId> merged_into(tree.parent.size(), -1);
  std::vector<NodeId> child(tree.parent.size(), -1);
  std::vector<NodeId> sibling(tree.parent.size(), -1);
  for (NodeId s = 0; s < count; ++s) {
    for (NodeId c = child[s]; c >= 0; c = sibling[c]) {
      const FrontSize merged{tree.size[s].w + tree.size[c].w, tree.size[s].r};
      if (front_cost(merged, block) > front_cost(tree.size[s], block) + front_cost(tree.size[c], block)) continue;
      tree.size[s] = merged;
      merged_into[c] = s;
    }
    if (tree.parent[s] >= 0) sibling[s] = std::exchange(child[tree.parent[s]], s);
  }
  SupernodeTree result;
  std::vector<NodeId> label(tree.parent.size());
  for (NodeId s = 0; s < count; ++s) {
    if (merged_into[s] >= 0) continue;
    label[s] = static_cast<NodeId>(result.size.size());
    result.size.push_back(tree.size[s]);
  }
  for (NodeId s = count; s-- > 0;) {
    if (merged_into[s] >= 0) label[s] = label[merged_into[s]];
  }
  result.parent.resize(result.size.size());
  for (NodeId s = 0; s < count; ++s) {
    if (merged_into[s] < 0) result.parent[label[s]] = tree.parent[s] < 0 ? -1 : label[tree.parent[s]];
  }
  result.of_column.reserve(tree.of_column.size());
  for (const NodeId s : tree.of_column) result.of_column.push_back(label[s]);
  return result;
}

/// Relabels in a postorder that visits the most expensive child first: few updates wait at the same time then.
SupernodeTree heaviest_child_first(const SupernodeTree& tree, Index block) {
  const auto count = static_cast<NodeId>(tree.parent.size());
  std::vector<double> cost(tree.parent.size(), 0);
  for (NodeId s = 0; s < count; ++s) {
    cost[s] += front_cost(tree.size[s], block);
    if (tree.parent[s] >= 0) cost[tree.parent[s]] += cost[s];
  }
  // Ranks by cost, so that ascending siblings are descending in cost; parents and children may be ranked in any order.
  std::vector<NodeId> by_cost(tree.parent.size());
  std::iota(by_cost.begin(), by_cost.end(), 0);
  std::stable_sort(by_cost.begin(), by_cost.end(), [&](NodeId a, NodeId b) { return cost[a] > cost[b]; });
  std::vector<NodeId> rank(tree.parent.size());
  for (NodeId k = 0; k < count; ++k) rank[by_cost[k]] = k;
  std::vector<NodeId> ranked_parent(tree.parent.size());
  for (NodeId s = 0; s < count; ++s) ranked_parent[rank[s]] = tree.parent[s] < 0 ? -1 : rank[tree.parent[s]];
  const std::vector<NodeId> post = postorder(ranked_parent);
  SupernodeTree result;
  std::vector<NodeId> label(tree.parent.size());
  for (NodeId k = 0; k < count; ++k) label[by_cost[post[k]]] = k;
  result.parent.resize(tree.parent.size());
  result.size.resize(tree.parent.size());
  for (NodeId s = 0; s < count; ++s) {
    result.parent[label[s]] = tree.parent[s] < 0 ? -1 : label[tree.parent[s]];
    result.size[label[s]] = tree.size[s];
  }
  for (const NodeId s : tree.of_column) result.of_column.push_back(label[s]);
  return result;
}

}  // namespace

std::variant<EliminationPlan, EliminationFailure> EliminationPlan::make(NodeId nodes, std::span<const NodeId> heads,
                                                                        std::span<const NodeId> tails, Index block,
                                                                        const EliminationLimits& limits,
                                                                        const std::function<bool()>& stop) {
  // Every edge is an entry of the factor, and Σ c² ≥ (Σ c)² / n for the lengths c of its n columns.
  const auto d = static_cast<double>(block);
  const double entries = static_cast<double>(nodes) + static_cast<double>(heads.size());
  if (entries * entries * d * d * d > 2 * limits.flops * nodes || entries * d * d > 2 * limits.numbers) {
    return Failure::kTooExpensive;
  }
  const Adjacency graph(nodes, heads, tails);
  auto order = minimum_degree_order(graph, block, limits, stop);
  if (const auto* failure = std::get_if<Failure>(&order)) return *failure;
  return make_ordered(std::get<0>(order), heads, tails, block, limits, stop);
}

std::variant<EliminationPlan, EliminationFailure> EliminationPlan::make_ordered(
    const std::vector<NodeId>& order, std::span<const NodeId> heads, std::span<const NodeId> tails, Index block,
    const EliminationLimits& limits, const std::function<bool()>& stop) {
  const Adjacency graph(static_cast<NodeId>(order.size()), heads, tails);
  const EliminationTree tree(graph, order);
  if (stop()) return Failure::kStopped;
  const SupernodeTree supernodes = heaviest_child_first(amalgamate(fundamental_supernodes(tree), block), block);
  const auto d = static_cast<double>(block);
  EliminationPlan plan;
  plan.block_ = block;
  double numbers = 0;
  double rows = 0;
  for (const auto [w, r] : supernodes.size) {
    plan.flops_ += elimination_flops(w * d, r * d);
    numbers += (w * d) * (w * d + r * d);
    rows += r;
  }
  constexpr auto kMost = static_cast<double>(std::numeric_limits<Index>::max()) / 64;
  if (plan.flops_ > limits.flops || numbers > std::min(limits.numbers, kMost) || rows > kMost) {
    return Failure::kTooExpensive;
  }
  // Columns by supernode; inside one, children precede parents as before.
  const std::size_t count = supernodes.size.size();
  plan.supernodes_.resize(count);
  NodeId column = 0;
  for (std::size_t s = 0; s < count; ++s) {
    plan.supernodes_[s].first = column;
    plan.supernodes_[s].rows = supernodes.size[s].r;
    plan.supernodes_[s].parent = supernodes.parent[s];
    column += supernodes.size[s].w;
  }
  plan.order_.resize(order.size());
  for (std::size_t j = 0; j < order.size(); ++j) {
    Supernode& s = plan.supernodes_[supernodes.of_column[j]];
    plan.order_[s.first + s.columns++] = tree.order[j];
  }
  if (!plan.set_structure(graph, stop)) return Failure::kStopped;
  plan.set_places();
  plan.set_edges(heads, tails);
  plan.set_tasks();
  plan.set_arenas();
  plan.set_targets();
  if (static_cast<double>(plan.shared_arena_ + plan.task_arena_) > kMostUpdates * limits.numbers) {
    return Failure::kTooExpensive;
  }
  return plan;
}

/// Rows of a supernode: those of its children and the neighbours of its columns, beyond its columns.
bool EliminationPlan::set_structure(const Adjacency& graph, const std::function<bool()>& stop) {
  constexpr Index kPollInterval = 200'000;  // rows
  std::vector<NodeId> position(order_.size());
  for (std::size_t k = 0; k < order_.size(); ++k) position[order_[k]] = static_cast<NodeId>(k);
  std::vector<NodeId> child(supernodes_.size(), -1);
  std::vector<NodeId> sibling(supernodes_.size(), -1);
  std::vector<NodeId> seen_by(order_.size(), -1);
  const auto count = static_cast<NodeId>(supernodes_.size());
  Index next_poll = kPollInterval;
  rows_.reserve(std::accumulate(supernodes_.begin(), supernodes_.end(), std::size_t{0},
                                [](std::size_t sum, const Supernode& s) { return sum + s.rows; }));
  for (NodeId k = 0; k < count; ++k) {
    Supernode& s = supernodes_[k];
    const NodeId end = s.first + s.columns;
    s.rows_begin = static_cast<Index>(rows_.size());
    const auto add = [&](NodeId row) {
      if (row < end || seen_by[row] == k) return;
      seen_by[row] = k;
      rows_.push_back(row);
    };
    for (NodeId j = s.first; j < end; ++j) {
      for (const NodeId neighbour : graph.of(order_[j])) add(position[neighbour]);
    }
    for (NodeId c = child[k]; c >= 0; c = sibling[c]) {
      const Index from = supernodes_[c].rows_begin;
      for (Index i = from; i < from + supernodes_[c].rows; ++i) add(rows_[i]);
    }
    assert(static_cast<Index>(rows_.size()) - s.rows_begin == s.rows);
    std::sort(rows_.begin() + s.rows_begin, rows_.end());
    if (s.parent >= 0) sibling[k] = std::exchange(child[s.parent], k);
    s.panel = factor_size_;
    factor_size_ += block_ * s.columns * block_ * (s.columns + s.rows);
    if (static_cast<Index>(rows_.size()) + k < next_poll) continue;
    next_poll += kPollInterval;
    if (stop()) return false;
  }
  return true;
}

void EliminationPlan::set_places() {
  places_.resize(rows_.size());
  for (const Supernode& s : supernodes_) {
    if (s.parent < 0) continue;
    const Supernode& p = supernodes_[s.parent];
    const NodeId* const parent_rows = rows(p);
    NodeId at = 0;
    for (Index k = s.rows_begin; k < s.rows_begin + s.rows; ++k) {
      const NodeId row = rows_[k];
      if (row < p.first + p.columns) {
        places_[k] = row - p.first;
        continue;
      }
      while (parent_rows[at] < row) ++at;
      places_[k] = p.columns + at;
    }
  }
}

void EliminationPlan::set_edges(std::span<const NodeId> heads, std::span<const NodeId> tails) {
  std::vector<NodeId> position(order_.size());
  std::vector<NodeId> supernode(order_.size());
  for (std::size_t k = 0; k < order_.size(); ++k) position[order_[k]] = static_cast<NodeId>(k);
  for (std::size_t s = 0; s < supernodes_.size(); ++s) {
    std::fill_n(supernode.begin() + supernodes_[s].first, supernodes_[s].columns, static_cast<NodeId>(s));
  }
  const auto owner = [&](std::size_t e) { return supernode[std::min(position[heads[e]], position[tails[e]])]; };
  std::vector<Index> next(supernodes_.size() + 1, 0);
  for (std::size_t e = 0; e < heads.size(); ++e) ++next[owner(e) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (std::size_t s = 0; s < supernodes_.size(); ++s) supernodes_[s].edges_begin = next[s];
  edges_.resize(heads.size());
  for (std::size_t e = 0; e < heads.size(); ++e) {
    const NodeId k = owner(e);
    const Supernode& s = supernodes_[k];
    const auto [column, row] = std::minmax({position[heads[e]], position[tails[e]]});
    const NodeId end = s.first + s.columns;
    const Index place =
        row < end ? row - s.first : s.columns + (std::lower_bound(rows(s), rows(s) + s.rows, row) - rows(s));
    const Index height = (s.columns + s.rows) * block_;
    edges_[next[k]++] = {s.panel + (column - s.first) * block_ * height + place * block_, static_cast<EdgeId>(e),
                         row != position[heads[e]]};
  }
}

}  // namespace gtvmin
