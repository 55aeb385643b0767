#pragma once

#include <memory>

#include "gtvmin/base/types.h"
#include "gtvmin/graph/empirical_graph.h"

namespace gtvmin {

/// Potentials on a graph whose edge weights are conductances: solves DᵀCD p = b for many right-hand sides at once, C
/// the diagonal of the weights. b must sum to 0 over each component; then p is unique up to a constant on each, and its
/// flow C D p is the least one (in Σ f_e²/weight_e) with Dᵀf = b.
///
/// Sparse Cholesky where the graph fills in little, conjugate gradients where it does not.
class LaplacianSystem {
 public:
  explicit LaplacianSystem(const EmpiricalGraph& graph);
  LaplacianSystem(const LaplacianSystem&) = delete;
  LaplacianSystem& operator=(const LaplacianSystem&) = delete;
  ~LaplacianSystem();

  /// b and the answer are rows × nodes, one right-hand side per row. Each row is solved until its residual is at most
  /// `absolute`, or until rounding ends the progress.
  [[nodiscard]] Matrix solve(const Matrix& b, double absolute) const;

 private:
  struct Factor;
  void multiply(const Matrix& p, Matrix& out) const;
  void precondition(const Matrix& r, Matrix& out) const;

  const EmpiricalGraph& graph_;
  Vector diagonal_;
  std::unique_ptr<Factor> factor_;
};

}  // namespace gtvmin
