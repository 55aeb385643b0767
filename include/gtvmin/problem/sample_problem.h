#pragma once

#include <optional>
#include <span>
#include <vector>

#include "gtvmin/base/thread_team.h"
#include "gtvmin/base/types.h"
#include "gtvmin/graph/empirical_graph.h"
#include "gtvmin/problem/problem.h"

namespace gtvmin {

/// A problem whose losses are sums over samples, in all parameters of its nodes, on groups of nodes that share their
/// parameters:
///     F(W) = Σ_g Σ_{i∈g} L_i(W_g) + Σ_e κ_e φ((DW)_e),   W ∈ ℝ^{D×groups}.
/// Edges between the same two groups are one edge with the sum of their weights; edges inside a group have no part.
/// Without contraction every node is a group. The problem must outlive it.
class SampleProblem {
 public:
  /// Nothing if some loss is not a sum over samples.
  static std::optional<SampleProblem> make(const Problem& problem);
  /// The same problem with the parameters of each group tied.
  [[nodiscard]] SampleProblem contracted(const Partition& groups) const;

  /// D: all parameters of a node, private ones included.
  [[nodiscard]] Index dimension() const { return dimension_; }
  /// d: the parameters that edges couple.
  [[nodiscard]] Index coupled_dimension() const { return problem_->dimension(); }
  /// Position of coupled parameter k among all parameters.
  [[nodiscard]] Index coupled(Index k) const { return coupled_.empty() ? k : coupled_[k]; }
  [[nodiscard]] bool couples_all() const { return coupled_.empty(); }

  [[nodiscard]] NodeId nodes() const { return graph_.nodes(); }
  [[nodiscard]] EdgeId edges() const { return graph_.edges(); }
  /// Its edge weights are κ_e.
  [[nodiscard]] const EmpiricalGraph& graph() const { return graph_; }
  [[nodiscard]] double kappa(EdgeId e) const { return graph_.weight(e); }
  [[nodiscard]] const Penalty& penalty() const { return problem_->penalty(); }
  [[nodiscard]] const Problem& problem() const { return *problem_; }

  /// The nodes of the problem that a group consists of.
  [[nodiscard]] std::span<const NodeId> members(NodeId group) const {
    return {members_.data() + first_member_[group], members_.data() + first_member_[group + 1]};
  }
  [[nodiscard]] NodeId group_of(NodeId member) const { return group_of_[member]; }
  [[nodiscard]] const SampleForm& form(NodeId member) const { return *problem_->loss(member).sample_form(); }
  /// Samples are numbered member after member.
  [[nodiscard]] Index first_sample(NodeId member) const { return first_sample_[member]; }
  [[nodiscard]] Index samples() const { return first_sample_.back(); }
  [[nodiscard]] bool has_stiffness() const { return has_stiffness_; }
  /// The edge that edge e of the problem became, and whether it changed its direction; −1 inside a group.
  struct EdgeImage {
    EdgeId edge = -1;
    double sign = 1;
  };
  [[nodiscard]] EdgeImage image(EdgeId e) const { return images_[e]; }

  /// (DW)_e in the coupled parameters.
  template <class Real>
  void difference(const Matrix& w, EdgeId e, Real* v) const {
    const double* head = w.data() + graph_.head(e) * dimension_;
    const double* tail = w.data() + graph_.tail(e) * dimension_;
    const Index d = coupled_dimension();
    for (Index k = 0; k < d; ++k) v[k] = static_cast<Real>(head[coupled(k)]) - static_cast<Real>(tail[coupled(k)]);
  }

  /// L_i(W_g) summed over the members of every group, in extended precision.
  [[nodiscard]] std::vector<long double> group_losses(const Matrix& w, ThreadTeam& team) const;
  /// F(W) in extended precision.
  [[nodiscard]] long double objective(const Matrix& w, ThreadTeam& team) const;

  /// All parameters of every node from its coupled ones, the private ones at their best; mean over each group.
  [[nodiscard]] Matrix gather(const Matrix& parameters) const;
  /// The parameters of the groups as parameters of the problem's nodes.
  [[nodiscard]] Matrix scatter(const Matrix& w) const;
  /// Flows of the problem's edges as flows of the edges here, and back; without contraction.
  [[nodiscard]] Matrix gather_flows(const Matrix& u) const;
  [[nodiscard]] Matrix scatter_flows(const Matrix& u) const;

 private:
  SampleProblem() = default;
  void group(const Partition& groups);

  const Problem* problem_ = nullptr;
  Index dimension_ = 0;
  std::vector<Index> coupled_;
  EmpiricalGraph graph_;
  std::vector<NodeId> group_of_;
  std::vector<Index> first_member_;
  std::vector<NodeId> members_;
  std::vector<Index> first_sample_;
  std::vector<EdgeImage> images_;
  bool has_stiffness_ = false;
};

}  // namespace gtvmin
