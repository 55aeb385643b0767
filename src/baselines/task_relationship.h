#pragma once

#include "gtvmin/base/types.h"
#include "gtvmin/graph/empirical_graph.h"

namespace gtvmin {

/// R(W) = ½ Σ_j W_j M_j W_jᵀ, W_j the row of W (d × tasks) that holds coordinate j of every task, M_j symmetric
/// positive definite and all with the same eigenvectors. Dense in the tasks.
class TaskRelationship {
 public:
  /// M_j = λL + curvature_j I with the Laplacian L of the graph, so that W_j L W_jᵀ = Σ_e A_e (w_{e₊j} − w_{e₋j})².
  /// Every curvature is > 0.
  static TaskRelationship of_graph(const EmpiricalGraph& graph, double lambda, const Vector& curvature);
  /// M_j = λΣ⁻¹ + curvature_j I with Σ = I/tasks, or the Σ with trace 1 for which ½λ tr(WΣ⁻¹Wᵀ) is least,
  /// (WᵀW)^{1/2} / tr (WᵀW)^{1/2}. A little is added to WᵀW: a direction in which Σ is 0 would be lost for ever. λ > 0.
  static TaskRelationship equal(Index tasks, double lambda, const Vector& curvature);
  static TaskRelationship learned(const Matrix& w, double lambda, const Vector& curvature);

  /// W with W_j = V_j M_j⁻¹, the maximiser of ⟨V, W⟩ − R(W).
  [[nodiscard]] Matrix respond(const Matrix& v) const;
  /// d × tasks: the diagonals of M_j⁻¹, by which a task alone moves its own parameters.
  [[nodiscard]] const Matrix& own_response() const { return own_; }
  /// σ′ = max over tasks t and j of Σ_s |M_j⁻¹|_ts / (M_j⁻¹)_tt: then σ′ times the sum of what tasks do to the dual
  /// objective on their own bounds what they do together (Smith et al. 2017).
  [[nodiscard]] double aggregation() const { return aggregation_; }

 private:
  TaskRelationship(Matrix vectors, Matrix gains);

  Matrix vectors_;  // tasks × tasks, the common eigenvectors
  Matrix gains_;    // d × tasks, the eigenvalues of M_j⁻¹
  Matrix own_;
  double aggregation_ = 1;
};

}  // namespace gtvmin
