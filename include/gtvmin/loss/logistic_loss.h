#pragma once

#include "gtvmin/loss/local_loss.h"

namespace gtvmin {

/// L(w) = scale · Σ_r log(1 + exp(−y_r x_rᵀw)) + Σ_j ridge_j w_j², labels y_r ∈ {−1, 1}.
///
/// The prox is an inner Newton method that stops at the tolerance it is given. The conjugate is known through its dual
/// variables a_r ∈ [0, 1]: −Σ_r scale · a_r y_r x_r (+ ridge part) = y costs Σ_r scale · (a log a + (1 − a) log(1 −
/// a)), and any feasible a bounds L* from above.
class LogisticLoss final : public LocalLoss {
 public:
  /// x_r are the columns of `features`.
  static LossPtr make(ConstMatrixRef features, ConstVectorRef labels, double scale, ConstVectorRef ridge);

  [[nodiscard]] Index dimension() const override { return signed_features_.rows(); }
  [[nodiscard]] double value(ConstVectorRef w) const override;
  void gradient(ConstVectorRef w, VectorRef g) const override;
  void prox(ConstVectorRef v, double rho, double tolerance, VectorRef z, VectorRef scratch) const override;
  [[nodiscard]] Index scratch_size() const override;
  [[nodiscard]] double lower_bound() const override { return 0; }
  [[nodiscard]] bool has_hessian() const override { return true; }
  void add_hessian(ConstVectorRef w, MatrixRef hessian) const override;
  void solve_hessian(ConstVectorRef w, ConstVectorRef r, VectorRef out) const override;
  [[nodiscard]] double fenchel_young_bound(ConstVectorRef w, ConstVectorRef p, double theta) const override;

 private:
  LogisticLoss(Matrix signed_features, double scale, Vector ridge);

  Matrix signed_features_;  // y_r x_r, d × m
  double scale_;
  Vector ridge_;
};

}  // namespace gtvmin
