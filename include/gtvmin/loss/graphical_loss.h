#pragma once

#include "gtvmin/loss/local_loss.h"

namespace gtvmin {

/// A symmetric matrix as a vector with the same Euclidean length: the upper triangle, column after column, entries off
/// the diagonal times √2.
[[nodiscard]] inline Index packed_size(Index order) { return order * (order + 1) / 2; }
void pack_symmetric(ConstMatrixRef matrix, VectorRef packed);
[[nodiscard]] Matrix unpack_symmetric(ConstVectorRef packed, Index order);

/// L(Θ) = scale · (tr(SΘ) − log det Θ) + ridge‖Θ‖² + sparsity · Σ_{j≠k} |Θ_jk| for positive definite Θ, else +∞: the
/// Gaussian log-likelihood in the precision matrix (graphical lasso). w is Θ packed.
///
/// Without sparsity the prox is closed: the eigenvectors of ρV − scale·S with eigenvalues from a quadratic equation.
/// With it the dual of the absolute values, a box, is searched by accelerated projected gradients, one
/// eigendecomposition a step.
class GraphicalLoss final : public LocalLoss {
 public:
  static LossPtr make(ConstMatrixRef covariance, double scale, double ridge, double sparsity);

  [[nodiscard]] Index dimension() const override { return packed_size(order()); }
  [[nodiscard]] bool is_smooth() const override { return sparsity_ == 0; }
  void start(VectorRef w) const override;
  [[nodiscard]] double value(ConstVectorRef w) const override;
  void gradient(ConstVectorRef w, VectorRef g) const override;
  void prox(ConstVectorRef v, double rho, double tolerance, VectorRef z, VectorRef scratch) const override;
  /// −∞ where S is singular: Θ can then grow along its kernel.
  [[nodiscard]] double lower_bound() const override { return lower_bound_; }
  [[nodiscard]] bool has_hessian() const override { return sparsity_ == 0; }
  void add_hessian(ConstVectorRef w, MatrixRef hessian) const override;
  void solve_hessian(ConstVectorRef w, ConstVectorRef r, VectorRef out) const override;
  [[nodiscard]] double fenchel_young_bound(ConstVectorRef w, ConstVectorRef p, double theta) const override;

 private:
  GraphicalLoss(ConstMatrixRef covariance, double scale, double ridge, double sparsity);
  [[nodiscard]] Index order() const { return covariance_.rows(); }
  /// argmin of scale · (tr(SΘ) − log det Θ) + ridge‖Θ‖² + (ρ/2)‖Θ‖² − ⟨pull, Θ⟩.
  [[nodiscard]] Matrix smooth_prox(const Matrix& pull, double rho) const;
  [[nodiscard]] Matrix sparse_prox(const Matrix& v, double rho, double tolerance) const;

  Matrix covariance_;  // S
  double scale_;
  double ridge_;
  double sparsity_;
  double lower_bound_;
};

}  // namespace gtvmin
