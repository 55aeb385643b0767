#pragma once

#include <span>
#include <vector>

#include "gtvmin/base/thread_team.h"
#include "gtvmin/base/types.h"
#include "gtvmin/graph/empirical_graph.h"
#include "gtvmin/loss/local_loss.h"
#include "gtvmin/problem/problem.h"

namespace gtvmin {

/// The problem on the cluster graph: every group of nodes shares one parameter vector, its loss is the sum of its
/// nodes' losses, and the edges between two groups become one edge with the sum of their weights.
class Contraction {
 public:
  Contraction(const Problem& problem, Partition partition);

  [[nodiscard]] const Problem& problem() const { return problem_; }
  [[nodiscard]] const Partition& partition() const { return partition_; }
  [[nodiscard]] const EmpiricalGraph& graph() const { return graph_; }
  [[nodiscard]] double kappa(EdgeId e) const { return problem_.lambda() * graph_.weight(e); }
  [[nodiscard]] std::span<const NodeId> members(NodeId group) const {
    return {members_.data() + first_member_[group], members_.data() + first_member_[group + 1]};
  }
  /// The contracted edge of an edge of the problem, −1 inside a group.
  [[nodiscard]] EdgeId contracted(EdgeId e) const { return edge_of_[e]; }
  /// +1 or −1: whether both point the same way.
  [[nodiscard]] double sign(EdgeId e) const;

  /// Mean over each group; sum of the flows between groups.
  [[nodiscard]] Matrix contract_nodes(ConstMatrixRef w) const;
  [[nodiscard]] Matrix contract_flow(ConstMatrixRef u) const;
  /// Every node gets its group's parameters, to the last bit.
  [[nodiscard]] Matrix lift_nodes(ConstMatrixRef groups) const;
  /// Adds a change of the flow between groups, shared out by weight; flow inside a group stays.
  void add_flow(ConstMatrixRef contracted_change, MatrixRef u) const;

 private:
  const Problem& problem_;
  Partition partition_;
  EmpiricalGraph graph_;
  std::vector<EdgeId> edge_of_;
  std::vector<Index> first_member_;
  std::vector<NodeId> members_;
};

/// The losses of the groups, if all losses of the problem are quadratic; else none.
[[nodiscard]] std::vector<LossPtr> merged_losses(const Contraction& contraction, ThreadTeam& team);

}  // namespace gtvmin
