#pragma once

#include <span>
#include <vector>

#include "gtvmin/base/result.h"
#include "gtvmin/base/stop.h"
#include "gtvmin/base/thread_team.h"
#include "gtvmin/base/types.h"

namespace gtvmin {

/// An undirected edge as a user gives it; the order of `a` and `b` does not matter.
struct WeightedEdge {
  NodeId a = 0;
  NodeId b = 0;
  double weight = 1;
};

/// One edge as seen from one of its nodes. `sign` is the entry D_{e,i} of the incidence matrix.
struct Incidence {
  EdgeId edge = 0;
  NodeId neighbour = 0;
  double sign = 0;
};

/// The empirical graph: nodes carry local datasets, weighted edges join similar ones. Immutable.
/// Edges are sorted by (head, tail) and oriented as in the paper: head e₊ = min, tail e₋ = max.
class EmpiricalGraph {
 public:
  /// Fails on a node out of range, a self-loop, an edge given twice, or a weight that is not finite and > 0.
  static Result<EmpiricalGraph> make(NodeId nodes, std::vector<WeightedEdge> edges, const Stop& stop = {});
  /// No nodes.
  EmpiricalGraph() = default;

  [[nodiscard]] NodeId nodes() const { return static_cast<NodeId>(first_incidence_.size()) - 1; }
  [[nodiscard]] EdgeId edges() const { return static_cast<EdgeId>(head_.size()); }
  [[nodiscard]] NodeId head(EdgeId e) const { return head_[e]; }
  [[nodiscard]] NodeId tail(EdgeId e) const { return tail_[e]; }
  [[nodiscard]] double weight(EdgeId e) const { return weight_[e]; }
  /// The edges at node i, in the order of their ids.
  [[nodiscard]] std::span<const Incidence> incident(NodeId i) const {
    return {incidences_.data() + first_incidence_[i], incidences_.data() + first_incidence_[i + 1]};
  }
  [[nodiscard]] Index degree(NodeId i) const { return first_incidence_[i + 1] - first_incidence_[i]; }

 private:
  std::vector<NodeId> head_;
  std::vector<NodeId> tail_;
  std::vector<double> weight_;
  std::vector<Index> first_incidence_ = {0};
  std::vector<Incidence> incidences_;
};

/// Groups of nodes, numbered from 0 in the order of their smallest node.
struct Partition {
  std::vector<NodeId> group_of;
  NodeId groups = 0;
};

/// Nodes whose columns are equal to the last bit belong together.
[[nodiscard]] Partition equal_columns(const Matrix& w);

/// Groups of groups, as groups of nodes.
[[nodiscard]] Partition merged(const Partition& groups, const Partition& larger);

/// Every column without the mean of its group, so that the columns of a group add up to 0.
[[nodiscard]] Matrix without_means(const Partition& groups, Matrix columns);

/// The groups that the edges with keep[e] != 0 connect; with an empty `keep`, the connected components.
Partition connected_groups(const EmpiricalGraph& graph, std::span<const char> keep = {});

/// True if there is at most one way from each node to each other: chains, stars, trees.
[[nodiscard]] bool is_forest(const EmpiricalGraph& graph);

/// The nodes in the order in which a breadth-first search meets them, component after component, and how many edges
/// each is away from where its component begins.
struct BreadthFirst {
  std::vector<NodeId> order;
  std::vector<NodeId> distance;  // of nodes
};
BreadthFirst breadth_first(const EmpiricalGraph& graph);

/// D: node space → edge space, (Dw)_e = w_{e₊} − w_{e₋}. Columns are nodes and edges.
Matrix apply_incidence(const EmpiricalGraph& graph, ConstMatrixRef w);

/// Dᵀ: edge space → node space, (Dᵀu)_i = Σ_{i=e₊} u_e − Σ_{i=e₋} u_e, summed in the order of edge ids.
Matrix apply_incidence_transpose(const EmpiricalGraph& graph, ConstMatrixRef u);
Matrix apply_incidence_transpose(const EmpiricalGraph& graph, ConstMatrixRef u, ThreadTeam& team);

}  // namespace gtvmin
