#pragma once

#include "gtvmin/loss/local_loss.h"

namespace gtvmin {

/// L(w) = scale · Σ_r |x_rᵀw − y_r| + Σ_j ridge_j w_j²: least absolute deviations, which outliers do not move.
///
/// It has a kink at every sample, so there is no Hessian. The prox is the primal side of a quadratic program over a
/// box,
///     z = (ρ + 2 ridge)⁻¹(ρv − Σ_r a_r x_r),   |a_r| ≤ scale,   a_r = ± scale where x_rᵀz ≠ y_r,
/// solved by an interior point method and finished exactly on the samples that z fits.
class AbsoluteLoss final : public LocalLoss {
 public:
  /// x_r are the columns of `features`; at least one.
  static LossPtr make(ConstMatrixRef features, ConstVectorRef labels, double scale, ConstVectorRef ridge);

  [[nodiscard]] Index dimension() const override { return features_.rows(); }
  [[nodiscard]] bool is_smooth() const override { return false; }
  [[nodiscard]] double value(ConstVectorRef w) const override;
  void gradient(ConstVectorRef w, VectorRef g) const override;
  void prox(ConstVectorRef v, double rho, double tolerance, VectorRef z, VectorRef scratch) const override;
  [[nodiscard]] Index scratch_size() const override;
  [[nodiscard]] double lower_bound() const override { return 0; }
  [[nodiscard]] const SampleForm* sample_form() const override { return &form_; }

 private:
  AbsoluteLoss(ConstMatrixRef features, ConstVectorRef labels, double scale, ConstVectorRef ridge);

  Matrix features_;  // d × m
  Vector labels_;
  double scale_;
  Vector ridge_;
  SampleForm form_;
};

}  // namespace gtvmin
