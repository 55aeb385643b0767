#pragma once

#include <memory>

#include "gtvmin/base/types.h"
#include "gtvmin/graph/empirical_graph.h"
#include "gtvmin/second_order/symmetric_factor.h"

namespace gtvmin {

/// Potentials on a graph whose edge weights are conductances: solves DᵀCD p = b for many right-hand sides at once, C
/// the diagonal of the weights. b must sum to 0 over each component; then p is unique up to a constant on each, and its
/// flow C D p is the least one (in Σ f_e²/weight_e) with Dᵀf = b.
///
/// Cholesky where the graph fills in little, conjugate gradients where it does not.
class LaplacianSystem {
 public:
  enum class Way { kAny, kIterative };
  explicit LaplacianSystem(const EmpiricalGraph& graph, Way way = Way::kAny);
  LaplacianSystem(const LaplacianSystem&) = delete;
  LaplacianSystem& operator=(const LaplacianSystem&) = delete;
  ~LaplacianSystem();

  /// b and the answer are rows × nodes, one right-hand side per row. Each row is solved until its residual is at most
  /// `absolute`, or until rounding or `most_steps` end the progress.
  [[nodiscard]] Matrix solve(const Matrix& b, double absolute, int most_steps = 1000) const;

 private:
  void multiply(const Matrix& p, Matrix& out) const;
  void precondition(const Matrix& r, Matrix& out) const;

  const EmpiricalGraph& graph_;
  Vector diagonal_;
  std::unique_ptr<SymmetricFactor> factor_;
};

/// u += f with the least flow f for which Dᵀf = b, roughly: after `steps` steps what is left of b is smooth.
void add_flow_for(const EmpiricalGraph& graph, const Matrix& b, int steps, Matrix& u);

}  // namespace gtvmin
