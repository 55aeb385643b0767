#pragma once

#include "gtvmin/loss/local_loss.h"

namespace gtvmin {

/// L(w) = ½(w − w₀)ᵀH(w − w₀) + c, H positive semidefinite: least squares, points, or the trivial loss 0.
///
/// H is kept as U diag(λ) Uᵀ + µ(I − UUᵀ) with U d×k orthonormal, k ≤ min(d, samples + 1). So every prox, for every ρ,
/// costs 4dk operations and no factorisation, and w₀ and c keep the value accurate where the loss is nearly 0.
class QuadraticLoss final : public LocalLoss {
 public:
  /// scale · Σ_r (x_rᵀw − y_r)² + Σ_j ridge_j w_j², x_r the columns of `features`. w₀ is the minimiser of least norm.
  static LossPtr least_squares(ConstMatrixRef features, ConstVectorRef labels, double scale, ConstVectorRef ridge);
  /// scale · Σ_r ‖w − a_r‖² + ridge‖w‖², a_r the columns of `points`.
  static LossPtr points(ConstMatrixRef points, double scale, double ridge);
  /// ½(w − w₀)ᵀH(w − w₀) + c for any symmetric positive semidefinite H.
  static LossPtr from_hessian(const Matrix& hessian, const Vector& minimiser, double minimum);
  /// 0: a node whose data are not accessible.
  static LossPtr zero(Index dimension);

  [[nodiscard]] Index dimension() const override { return minimiser_.size(); }
  [[nodiscard]] double value(ConstVectorRef w) const override;
  void gradient(ConstVectorRef w, VectorRef g) const override;
  void prox(ConstVectorRef v, double rho, double tolerance, VectorRef z, VectorRef scratch) const override;
  [[nodiscard]] Index scratch_size() const override { return dimension() + eigenvalues_.size(); }
  [[nodiscard]] double lower_bound() const override { return minimum_; }
  [[nodiscard]] bool has_hessian() const override { return true; }
  [[nodiscard]] bool hessian_is_constant() const override { return true; }
  void add_hessian(ConstVectorRef w, MatrixRef hessian) const override;
  void solve_hessian(ConstVectorRef w, ConstVectorRef r, VectorRef out) const override;
  /// Exact: the target y misses ∇L(w) by Hq with q = (1 − θ)(w − w₀) − θp, which costs ½qᵀHq.
  [[nodiscard]] double fenchel_young_bound(ConstVectorRef w, ConstVectorRef p, double theta) const override;
  [[nodiscard]] bool is_trivial() const override { return trivial_; }

 private:
  QuadraticLoss(Matrix basis, Vector eigenvalues, double floor, Vector minimiser, double minimum);
  template <class Expression>
  [[nodiscard]] double half_form(const Expression& q) const;  // ½qᵀHq

  Matrix basis_;  // U
  Vector eigenvalues_;
  double floor_;  // µ
  Vector minimiser_;
  double minimum_;
  bool trivial_;
};

}  // namespace gtvmin
