#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>
#include <vector>

#include "gtvmin/second_order/elimination_plan.h"

namespace gtvmin {
namespace {

/// Number of threads for which tasks are balanced; the actual number does not matter for the result.
constexpr double kAssumedThreads = 4;
/// Smaller factorisations are not divided, and smaller subtrees are no tasks of their own.
constexpr double kLeastTaskCost = 2e5;
constexpr std::size_t kMostTasks = 64;
constexpr int kMostSplits = 4000;
/// A division has to reduce the estimated time to this fraction of that of the best before it.
constexpr double kLeastGain = 0.98;
/// Share of the time of a large front that remains if threads divide it.
constexpr double kLargeFrontFlops = 5e6;
constexpr double kLargeFrontShare = 0.35;
/// Memory traffic and overhead in flops.
constexpr double kTaskFlopsPerEntry = 4;
constexpr double kTaskFlopsPerFront = 100;

/// Offsets are multiples of 64 bytes.
Index rounded(Index size) { return (size + 7) / 8 * 8; }

}  // namespace

Index EliminationPlan::update_size(const Supernode& s) const { return rounded(s.rows * block_ * s.rows * block_); }

/// Divides the largest subtree repeatedly: its root joins the top, its children become tasks. Of all these divisions
/// the one of the least estimated time is taken.
void EliminationPlan::set_tasks() {
  const auto count = static_cast<NodeId>(supernodes_.size());
  const auto d = static_cast<double>(block_);
  std::vector<double> front(supernodes_.size());
  std::vector<double> flops(supernodes_.size());
  std::vector<double> cost(supernodes_.size(), 0);
  std::vector<NodeId> begin(supernodes_.size());
  std::iota(begin.begin(), begin.end(), 0);
  std::vector<NodeId> child(supernodes_.size(), -1);
  std::vector<NodeId> sibling(supernodes_.size(), -1);
  for (NodeId k = 0; k < count; ++k) {
    const Supernode& s = supernodes_[k];
    flops[k] = elimination_flops(s.columns * d, s.rows * d);
    const double height = (s.columns + s.rows) * d;
    front[k] = flops[k] + kTaskFlopsPerEntry * height * height + kTaskFlopsPerFront;
    cost[k] += front[k];
    if (s.parent < 0) continue;
    cost[s.parent] += cost[k];
    begin[s.parent] = std::min(begin[s.parent], begin[k]);
    sibling[k] = std::exchange(child[s.parent], k);
  }
  const auto is_less = [&](NodeId a, NodeId b) { return cost[a] != cost[b] ? cost[a] < cost[b] : a < b; };
  std::vector<NodeId> subtrees;  // a heap
  double in_tasks = 0;
  double in_top = 0;
  Index waiting = 0;  // scalars of the updates of tasks
  const auto add = [&](NodeId k) {
    if (cost[k] < kLeastTaskCost) {
      in_top += cost[k];
    } else {
      subtrees.push_back(k);
      std::push_heap(subtrees.begin(), subtrees.end(), is_less);
      in_tasks += cost[k];
      waiting += update_size(supernodes_[k]);
    }
  };
  for (NodeId k = 0; k < count; ++k) {
    if (supernodes_[k].parent < 0) add(k);
  }
  double least_time = in_top + in_tasks;
  std::vector<NodeId> best;
  const double most_top = 0.5 * least_time;
  for (int split = 0; split < kMostSplits && !subtrees.empty(); ++split) {
    const double largest = cost[subtrees.front()];
    const double time = in_top + std::max(largest, in_tasks / kAssumedThreads);
    const bool is_allowed = subtrees.size() > 1 && subtrees.size() <= kMostTasks && waiting <= factor_size_;
    if (is_allowed && time < kLeastGain * least_time) {
      least_time = time;
      best = subtrees;
    }
    if (in_top > most_top) break;
    std::pop_heap(subtrees.begin(), subtrees.end(), is_less);
    const NodeId k = subtrees.back();
    subtrees.pop_back();
    in_tasks -= cost[k];
    waiting -= update_size(supernodes_[k]);
    in_top += flops[k] > kLargeFrontFlops ? kLargeFrontShare * front[k] : front[k];
    for (NodeId c = child[k]; c >= 0; c = sibling[c]) add(c);
  }
  std::vector<char> is_in_task(supernodes_.size(), 0);
  std::sort(best.begin(), best.end(), [&](NodeId a, NodeId b) { return is_less(b, a); });
  for (const NodeId root : best) {
    supernodes_[root].is_task_root = true;
    tasks_.push_back({begin[root], root + 1, buffer_rows_});
    buffer_rows_ += supernodes_[root].rows;
    std::fill(is_in_task.begin() + begin[root], is_in_task.begin() + root + 1, 1);
  }
  for (NodeId k = 0; k < count; ++k) {
    if (is_in_task[k] == 0) top_.push_back(k);
  }
  root_begin_.push_back(0);
  for (const NodeId k : top_) {
    for (NodeId c = child[k]; c >= 0; c = sibling[c]) {
      if (supernodes_[c].is_task_root) root_lists_.push_back(c);
    }
    root_begin_.push_back(static_cast<Index>(root_lists_.size()));
  }
}

/// Updates are on two stacks, those of odd and those of even depth. A front is opened when its first child is done. A
/// child that is added to its parent is on top of its stack and is removed.
void EliminationPlan::set_arenas() {
  const auto count = static_cast<NodeId>(supernodes_.size());
  std::vector<NodeId> parity(supernodes_.size(), 0);
  for (NodeId k = count; k-- > 0;) {
    const NodeId parent = supernodes_[k].parent;
    if (parent >= 0) parity[k] = parity[parent] == 0 ? 1 : 0;
  }
  std::vector<NodeId> sequence;
  const auto lay_out = [&](Index base) {
    Index height[2] = {0, 0};
    Index peak[2] = {0, 0};
    const auto push = [&](NodeId k) {
      Supernode& s = supernodes_[k];
      if (s.is_task_root) return;
      s.update = height[parity[k]];
      height[parity[k]] += update_size(s);
      peak[parity[k]] = std::max(peak[parity[k]], height[parity[k]]);
    };
    for (const NodeId k : sequence) {
      Supernode& s = supernodes_[k];
      if (!s.is_opened) push(k);
      if (s.is_task_root || s.parent < 0) continue;
      Supernode& p = supernodes_[s.parent];
      if (!p.is_opened) {
        s.opens_parent = p.is_opened = true;
        push(s.parent);
      }
      height[parity[k]] -= update_size(s);
      assert(height[parity[k]] == s.update);
    }
    for (const NodeId k : sequence) {
      if (!supernodes_[k].is_task_root) supernodes_[k].update += base + (parity[k] == 0 ? 0 : peak[0]);
    }
    return base + peak[0] + peak[1];
  };
  for (const EliminationTask& task : tasks_) {
    sequence.resize(task.end - task.begin);
    std::iota(sequence.begin(), sequence.end(), task.begin);
    task_arena_ = std::max(task_arena_, lay_out(0));
    Supernode& root = supernodes_[task.end - 1];
    root.update = shared_arena_;
    shared_arena_ += update_size(root);
  }
  sequence = top_;
  shared_arena_ = lay_out(shared_arena_);
}

void EliminationPlan::set_targets() {
  targets_ = rows_;
  for (const EliminationTask& task : tasks_) {
    const Supernode& root = supernodes_[task.end - 1];
    const NodeId* const begin = rows(root);
    const NodeId* const end = begin + root.rows;
    const NodeId columns_end = root.first + root.columns;
    for (NodeId k = task.begin; k < task.end; ++k) {
      const Supernode& s = supernodes_[k];
      for (Index i = s.rows_begin; i < s.rows_begin + s.rows; ++i) {
        if (rows_[i] < columns_end) continue;
        targets_[i] = nodes() + task.buffer + static_cast<NodeId>(std::lower_bound(begin, end, rows_[i]) - begin);
      }
    }
  }
}

}  // namespace gtvmin
