#pragma once

#include <memory>
#include <vector>

#include "gtvmin/base/thread_team.h"
#include "gtvmin/base/types.h"
#include "gtvmin/graph/empirical_graph.h"
#include "gtvmin/second_order/symmetric_factor.h"

namespace gtvmin {

/// Potentials on a graph whose edges have conductances: solves DᵀCD p = b for many right-hand sides at once, C the
/// diagonal of the conductances. b must sum to 0 over each component; then p is unique up to a constant on each, and
/// its flow C D p is the least one (in Σ f_e²/c_e) with Dᵀf = b.
///
/// Cholesky where the graph fills in little, conjugate gradients where it does not. The bits of an answer do not depend
/// on the size of the team.
class LaplacianSystem {
 public:
  enum class Way { kAny, kIterative };
  /// One conductance ≥ 0 per edge; an edge with 0 is not there. Graph and team must outlive the system.
  LaplacianSystem(const EmpiricalGraph& graph, std::vector<double> conductances, ThreadTeam& team, Way way = Way::kAny);
  LaplacianSystem(const LaplacianSystem&) = delete;
  LaplacianSystem& operator=(const LaplacianSystem&) = delete;
  ~LaplacianSystem();

  [[nodiscard]] bool is_direct() const { return factor_ != nullptr; }

  /// b and the answer are rows × nodes, one right-hand side per row. Each row is solved until its residual is at most
  /// `absolute`, or until rounding or `most_steps` end the progress.
  [[nodiscard]] Matrix solve(const Matrix& b, double absolute, int most_steps = 1000) const;

  /// u += C D p.
  void add_flow(const Matrix& potential, MatrixRef u) const;

 private:
  void multiply(const double* p, Index rows, NodeId begin, NodeId end, double* out) const;

  const EmpiricalGraph& graph_;
  ThreadTeam& team_;
  std::vector<double> conductances_;
  std::vector<double> incident_;  // the same, in the order of the edges at node 0, 1, …
  std::vector<Index> first_incident_;
  Vector inverse_diagonal_;
  std::unique_ptr<SymmetricFactor> factor_;
};

/// What every edge conducts if its weight is its conductance.
[[nodiscard]] std::vector<double> weights_of(const EmpiricalGraph& graph);

/// u += f with the least flow f for which Dᵀf = b, roughly: after `steps` steps what is left of b is smooth.
void add_flow_for(const EmpiricalGraph& graph, const Matrix& b, int steps, ThreadTeam& team, Matrix& u);

}  // namespace gtvmin
