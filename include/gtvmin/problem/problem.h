#pragma once

#include <vector>

#include "gtvmin/base/result.h"
#include "gtvmin/base/types.h"
#include "gtvmin/graph/empirical_graph.h"
#include "gtvmin/loss/local_loss.h"
#include "gtvmin/penalty/penalty.h"

namespace gtvmin {

/// min over w ∈ ℝ^{d×nodes} of Σ_i L_i(w_i) + λ Σ_e A_e φ(w_{e₊} − w_{e₋}). Immutable; the one place that validates.
class Problem {
 public:
  /// One loss per node, all of one dimension ≥ 1; λ finite and ≥ 0; a quadratic penalty must fit the dimension.
  static Result<Problem> make(EmpiricalGraph graph, std::vector<LossPtr> losses, Penalty penalty, double lambda);

  [[nodiscard]] const EmpiricalGraph& graph() const { return graph_; }
  [[nodiscard]] const LocalLoss& loss(NodeId i) const { return *losses_[i]; }
  [[nodiscard]] const Penalty& penalty() const { return penalty_; }
  [[nodiscard]] double lambda() const { return lambda_; }
  [[nodiscard]] Index dimension() const { return dimension_; }
  [[nodiscard]] NodeId nodes() const { return graph_.nodes(); }
  [[nodiscard]] EdgeId edges() const { return graph_.edges(); }
  /// κ_e = λA_e, the weight of edge e in the objective.
  [[nodiscard]] double kappa(EdgeId e) const { return lambda_ * graph_.weight(e); }

 private:
  Problem(EmpiricalGraph graph, std::vector<LossPtr> losses, Penalty penalty, double lambda);
  EmpiricalGraph graph_;
  std::vector<LossPtr> losses_;
  Penalty penalty_;
  double lambda_;
  Index dimension_;
};

/// True if `holds` is true of every loss.
template <class Predicate>
[[nodiscard]] bool every_loss(const Problem& problem, const Predicate& holds) {
  for (NodeId i = 0; i < problem.nodes(); ++i) {
    if (!holds(problem.loss(i))) return false;
  }
  return true;
}

/// True if every loss is quadratic and curved in every direction: then whatever a flow misses at a node costs a little,
/// never everything.
[[nodiscard]] bool is_curved_everywhere(const Problem& problem);

[[nodiscard]] bool is_convex(const Problem& problem);
/// True if some loss is not smooth.
[[nodiscard]] bool has_kinks(const Problem& problem);

/// Where every loss is finite.
[[nodiscard]] Matrix start_point(const Problem& problem);
/// All parameters of every node, in the model's order: w and, where some are private to the node, those.
[[nodiscard]] Matrix all_parameters(const Problem& problem, const Matrix& w);

/// L_i(w_i) of every node.
[[nodiscard]] Vector node_losses(const Problem& problem, const Matrix& w);
/// Σ_i L_i(w_i).
[[nodiscard]] double total_loss(const Problem& problem, ConstMatrixRef w);
/// Σ_e A_e φ(w_{e₊} − w_{e₋}), without λ.
[[nodiscard]] double total_variation(const Problem& problem, ConstMatrixRef w);
/// ∇L_i(w_i) of every node.
[[nodiscard]] Matrix loss_gradients(const Problem& problem, const Matrix& w);
/// ∇L_i(w_i) + (Dᵀu)_i: what every node misses.
[[nodiscard]] Matrix node_residuals(const Problem& problem, const Matrix& w, const Matrix& u);
/// Brings every flow into the domain of κφ*(·/κ): for a norm penalty, into its ball.
void project_flow(const Problem& problem, MatrixRef u);
/// What is minimised: total_loss + λ · total_variation.
[[nodiscard]] double objective(const Problem& problem, ConstMatrixRef w);

}  // namespace gtvmin
