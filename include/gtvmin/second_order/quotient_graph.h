#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "gtvmin/second_order/minimum_degree.h"

namespace gtvmin {

/// The quotient graph of a partial elimination. An eliminated node is an element: the clique of its neighbours at that
/// time. A node's list holds `elements_[i]` elements and then nodes; an element's list holds nodes. Indistinguishable
/// nodes are merged into one of weight `weight_[i]`; weight 0 marks merged and eliminated nodes.
class QuotientGraph {
 public:
  QuotientGraph(const Adjacency& graph, const std::vector<char>& is_gone, Index block, const EliminationLimits& limits,
                const std::function<bool()>& stop);

  /// Eliminates every node, always one of least approximate degree, and appends them to `order`.
  std::optional<EliminationFailure> eliminate(std::vector<NodeId>& order);

 private:
  struct Growth {
    double left = 0;
    double degree = 1;  // average
  };
  [[nodiscard]] NodeId dense_count() const { return static_cast<NodeId>(dense_.size()); }

  void load(const Adjacency& graph, const std::vector<char>& is_gone);

  void enlist(NodeId i);
  void unlist(NodeId i);

  /// Makes space for `count` entries at the end of the lists.
  void reserve(Index count);

  /// Takes the live nodes of a list into the new element: off the degree lists, with their weight negated.
  void take(Index from, Index count, Index& to);

  /// L_p = (A_p ∪ ⋃ L_e, e in E_p) \ {p}; the elements e are absorbed.
  void make_element(NodeId pivot);
  void remove_element(NodeId e);

  /// mark_[e] − tag_ = |L_e \ L_p| for every element e that a node of L_p belongs to.
  void measure_elements(NodeId pivot);

  /// Approximate degree without L_p, pruned lists and the hash of every node of L_p.
  void update_degrees(NodeId pivot);

  /// Merges node j into node i.
  void absorb(NodeId i, NodeId j);

  /// Nodes of L_p with equal lists have equal columns of the factor.
  void merge_indistinguishable(NodeId pivot);
  [[nodiscard]] bool is_marked(NodeId j, NodeId length, NodeId elements);

  /// Returns the nodes of L_p to the degree lists and drops merged ones from it.
  void relist(NodeId pivot);

  void emit(NodeId i, std::vector<NodeId>& order) const;

  void add_cost(NodeId columns, NodeId rows);
  [[nodiscard]] bool is_too_expensive() const;
  /// The average degree D of the m nodes that are left grows like m^−α: α < 1 where there are small separators,
  /// (k − 1)/k in a k-dimensional grid, but large in an expander. The growth ends as a clique of size c = D(c).
  /// α is measured whenever D has doubled, over the last two doublings.
  [[nodiscard]] bool is_forecast_too_expensive();
  std::optional<EliminationFailure> check();

  const EliminationLimits limits_;
  const std::function<bool()>& stop_;
  const double d_;
  const NodeId nodes_;
  std::vector<NodeId> dense_;
  NodeId left_ = 0;  // weight of the nodes that are not eliminated
  double flops_ = 0;
  double numbers_ = 0;
  double degree_sum_ = 0;
  Growth last_doubling_;  // of the average degree
  Growth doubling_before_;
  Index work_ = 0;
  Index next_poll_ = 0;

  std::vector<NodeId> lists_;
  Index end_ = 0;
  std::vector<Index> begin_;
  std::vector<NodeId> length_;
  std::vector<NodeId> elements_;
  std::vector<NodeId> weight_;      // negative: of the element that is being made
  std::vector<NodeId> degree_;      // of a node: approximate and external; of an element: exact
  NodeId element_weight_ = 0;       // of the nodes of the element that is being made
  std::vector<std::int64_t> mark_;  // 0: an absorbed element
  std::int64_t tag_ = 2;
  // Lists of nodes of equal degree; `next_` also chains nodes of equal hash.
  NodeId least_degree_ = 0;
  std::vector<NodeId> head_;
  std::vector<NodeId> next_;
  std::vector<NodeId> previous_;
  std::vector<NodeId> hash_head_;
  // Nodes that were merged into one.
  std::vector<NodeId> member_next_;
  std::vector<NodeId> member_last_;
};

}  // namespace gtvmin
