#pragma once

#include <functional>
#include <span>
#include <variant>
#include <vector>

#include "gtvmin/base/types.h"
#include "gtvmin/second_order/minimum_degree.h"

namespace gtvmin {

/// Columns of the factor that have the same rows and are eliminated together. Columns and rows count nodes and are
/// positions in the order of elimination; offsets count scalars. The front of a supernode is the dense matrix of its
/// columns and its rows: the panel is its first `columns` columns, the update is what is left of the others.
struct Supernode {
  NodeId first = 0;  ///< column
  NodeId columns = 0;
  NodeId rows = 0;       ///< below the columns
  NodeId parent = -1;    ///< supernode whose front the update is added to; −1: root
  Index rows_begin = 0;  ///< in EliminationPlan::rows
  Index edges_begin = 0;
  Index panel = 0;   ///< offset of the panel in the factor; column-major, (columns + rows) · d scalars per column
  Index update = 0;  ///< offset of the update in the arena of its task
  bool opens_parent = false;  ///< first of the children that are added to the parent as soon as they are done
  bool is_opened = false;     ///< there is such a child
  bool is_task_root = false;
};

/// Where the block of an edge goes in the factor.
struct EdgePlace {
  Index offset;
  EdgeId edge;
  bool is_transposed;
};

/// Supernodes begin … end − 1: a subtree that one thread eliminates.
struct EliminationTask {
  NodeId begin;
  NodeId end;
  NodeId buffer;  ///< of the rows of its root, among the buffers of forward substitution
};

/// Order of elimination of a block matrix over a graph, its supernodes and the cost of its factorisation. Immutable.
/// Nothing here depends on the number of threads.
class EliminationPlan {
 public:
  using Failure = EliminationFailure;

  /// Edges connect heads[e] and tails[e]: no loops, no parallel edges. Every node has `block` scalars. `stop` is polled
  /// every few milliseconds.
  [[nodiscard]] static std::variant<EliminationPlan, Failure> make(NodeId nodes, std::span<const NodeId> heads,
                                                                   std::span<const NodeId> tails, Index block,
                                                                   const EliminationLimits& limits,
                                                                   const std::function<bool()>& stop);
  /// The same for a given order: order[k] is the node to be eliminated in turn k.
  [[nodiscard]] static std::variant<EliminationPlan, Failure> make_ordered(const std::vector<NodeId>& order,
                                                                           std::span<const NodeId> heads,
                                                                           std::span<const NodeId> tails, Index block,
                                                                           const EliminationLimits& limits,
                                                                           const std::function<bool()>& stop);

  /// Of one factorisation. Counts the zeros that supernodes store.
  [[nodiscard]] double flops() const { return flops_; }
  /// Scalars that a BlockCholesky stores for the factor.
  [[nodiscard]] double numbers() const { return static_cast<double>(factor_size_); }

  [[nodiscard]] NodeId nodes() const { return static_cast<NodeId>(order_.size()); }
  [[nodiscard]] Index block() const { return block_; }
  [[nodiscard]] Index factor_size() const { return factor_size_; }
  /// Scalars of the updates of task roots and of the supernodes above the tasks.
  [[nodiscard]] Index shared_arena() const { return shared_arena_; }
  /// Scalars of the updates inside any one task.
  [[nodiscard]] Index task_arena() const { return task_arena_; }
  [[nodiscard]] NodeId buffer_rows() const { return buffer_rows_; }

  /// Nodes in the order of elimination.
  [[nodiscard]] std::span<const NodeId> order() const { return order_; }
  /// In postorder.
  [[nodiscard]] std::span<const Supernode> supernodes() const { return supernodes_; }
  /// Rows of a supernode, ascending.
  [[nodiscard]] const NodeId* rows(const Supernode& s) const { return rows_.data() + s.rows_begin; }
  /// Position of each row of a supernode in the front of its parent.
  [[nodiscard]] const NodeId* places(const Supernode& s) const { return places_.data() + s.rows_begin; }
  /// Position of each row in forward substitution: its own, or nodes() + b for row b of the buffers.
  [[nodiscard]] const NodeId* targets(const Supernode& s) const { return targets_.data() + s.rows_begin; }
  [[nodiscard]] std::span<const EdgePlace> edges(NodeId s) const {
    const Index begin = supernodes_[s].edges_begin;
    const bool is_last = static_cast<std::size_t>(s) + 1 == supernodes_.size();
    const Index end = is_last ? static_cast<Index>(edges_.size()) : supernodes_[s + 1].edges_begin;
    return {edges_.data() + begin, static_cast<std::size_t>(end - begin)};
  }
  /// Most expensive first.
  [[nodiscard]] std::span<const EliminationTask> tasks() const { return tasks_; }
  /// Supernodes of no task, in postorder, and their children that are task roots.
  [[nodiscard]] std::span<const NodeId> top() const { return top_; }
  [[nodiscard]] std::span<const NodeId> task_roots_below(Index k) const {
    return {root_lists_.data() + root_begin_[k], static_cast<std::size_t>(root_begin_[k + 1] - root_begin_[k])};
  }
  /// Scalars of a front's update.
  [[nodiscard]] Index update_size(const Supernode& s) const;

 private:
  EliminationPlan() = default;
  bool set_structure(const Adjacency& graph, const std::function<bool()>& stop);
  void set_places();
  void set_edges(std::span<const NodeId> heads, std::span<const NodeId> tails);
  void set_tasks();
  void set_arenas();
  void set_targets();

  Index block_ = 1;
  double flops_ = 0;
  Index factor_size_ = 0;
  Index shared_arena_ = 0;
  Index task_arena_ = 0;
  NodeId buffer_rows_ = 0;
  std::vector<NodeId> order_;
  std::vector<Supernode> supernodes_;
  std::vector<NodeId> rows_;
  std::vector<NodeId> places_;
  std::vector<NodeId> targets_;
  std::vector<EdgePlace> edges_;
  std::vector<EliminationTask> tasks_;
  std::vector<NodeId> top_;
  std::vector<NodeId> root_lists_;
  std::vector<Index> root_begin_;
};

}  // namespace gtvmin
