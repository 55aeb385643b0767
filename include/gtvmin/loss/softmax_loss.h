#pragma once

#include "gtvmin/loss/local_loss.h"

namespace gtvmin {

/// L(W) = −scale · Σ_r log p_r[y_r] + Σ_j ridge_j w_j², p_r = softmax(Wᵀx_r): multinomial logistic regression. W is d ×
/// K, one column a class; w stacks its columns.
///
/// Adding one vector to all columns changes nothing, so L is flat there (but for the ridge). The prox is Newton's
/// method with conjugate gradients: nothing of size (dK)² is formed. Its dual variables are one probability vector per
/// sample, and the gap they leave is a relative entropy.
class SoftmaxLoss final : public LocalLoss {
 public:
  static constexpr int kMostClasses = 1000;  // so that what one sample needs stands on the stack

  /// x_r are the columns of `features`; labels are classes 0 … K − 1, K ≤ kMostClasses.
  static LossPtr make(ConstMatrixRef features, ConstVectorRef labels, Index classes, double scale,
                      ConstVectorRef ridge);

  [[nodiscard]] Index dimension() const override { return features_.rows() * classes_; }
  [[nodiscard]] double value(ConstVectorRef w) const override;
  void gradient(ConstVectorRef w, VectorRef g) const override;
  void prox(ConstVectorRef v, double rho, double tolerance, VectorRef z, VectorRef scratch) const override;
  [[nodiscard]] Index scratch_size() const override { return 6 * dimension(); }
  [[nodiscard]] double lower_bound() const override { return 0; }
  [[nodiscard]] bool has_hessian() const override { return true; }
  /// Not where a dense system of this size would be too much for each node.
  [[nodiscard]] bool bounds_hessian_steps() const override { return dimension() <= 600; }
  void add_hessian(ConstVectorRef w, MatrixRef hessian) const override;
  void apply_hessian(ConstVectorRef w, ConstVectorRef p, VectorRef out) const override;
  void solve_hessian(ConstVectorRef w, ConstVectorRef r, VectorRef out) const override;
  [[nodiscard]] double fenchel_young_bound(ConstVectorRef w, ConstVectorRef p, double theta) const override;

 private:
  using ClassVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMostClasses, 1>;

  SoftmaxLoss(ConstMatrixRef features, ConstVectorRef labels, Index classes, double scale, ConstVectorRef ridge)
      : features_(features), labels_(labels), classes_(classes), scale_(scale), ridge_(ridge) {}
  /// Scores become probabilities.
  static void normalise(VectorRef scores);
  void scores(ConstVectorRef w, Index r, VectorRef out) const;
  [[nodiscard]] Index label(Index r) const { return static_cast<Index>(labels_[r]); }

  Matrix features_;  // d × m
  Vector labels_;
  Index classes_;
  double scale_;
  Vector ridge_;
};

}  // namespace gtvmin
