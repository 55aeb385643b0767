#include "gtvmin/loss/scaled_loss.h"

#include <cassert>
#include <utility>

namespace gtvmin {
namespace {

class ScaledLoss final : public LocalLoss {
 public:
  ScaledLoss(std::shared_ptr<const LocalLoss> loss, double weight) : loss_(std::move(loss)), weight_(weight) {
    if (const QuadraticForm* form = loss_->quadratic_form(); form != nullptr) {
      eigenvalues_ = weight * Eigen::Map<const Vector>(form->eigenvalues, form->rank);
      quadratic_ = *form;
      quadratic_.eigenvalues = eigenvalues_.data();
      quadratic_.floor *= weight;
    }
    if (const SampleForm* form = loss_->sample_form(); form != nullptr) {
      samples_ = *form;
      samples_.weight *= weight;
      samples_.constant *= weight;
      if (form->stiffness != nullptr) {
        stiffness_ = weight * Eigen::Map<const Vector>(form->stiffness, form->dimension);
        samples_.stiffness = stiffness_.data();
      }
    }
  }

  [[nodiscard]] Index dimension() const override { return loss_->dimension(); }
  [[nodiscard]] double value(ConstVectorRef w) const override { return weight_ * loss_->value(w); }
  void gradient(ConstVectorRef w, VectorRef g) const override {
    loss_->gradient(w, g);
    g *= weight_;
  }
  [[nodiscard]] bool is_convex() const override { return loss_->is_convex(); }
  [[nodiscard]] bool is_smooth() const override { return loss_->is_smooth(); }
  void start(VectorRef w) const override { loss_->start(w); }
  /// ρL(z) + (r/2)‖z − v‖² is ρ times L(z) + (r/2ρ)‖z − v‖².
  void prox(ConstVectorRef v, double rho, double tolerance, VectorRef z, VectorRef scratch) const override {
    loss_->prox(v, rho / weight_, tolerance / weight_, z, scratch);
  }
  [[nodiscard]] Index scratch_size() const override { return loss_->scratch_size(); }
  [[nodiscard]] double lower_bound() const override { return weight_ * loss_->lower_bound(); }
  [[nodiscard]] bool has_hessian() const override { return loss_->has_hessian(); }
  [[nodiscard]] bool bounds_hessian_steps() const override { return loss_->bounds_hessian_steps(); }
  [[nodiscard]] bool hessian_is_constant() const override { return loss_->hessian_is_constant(); }
  void add_hessian(ConstVectorRef w, MatrixRef hessian) const override {
    Matrix part = Matrix::Zero(hessian.rows(), hessian.cols());
    loss_->add_hessian(w, part);
    hessian += weight_ * part;
  }
  void apply_hessian(ConstVectorRef w, ConstVectorRef p, VectorRef out) const override {
    loss_->apply_hessian(w, p, out);
    out *= weight_;
  }
  void solve_hessian(ConstVectorRef w, ConstVectorRef r, VectorRef out) const override {
    loss_->solve_hessian(w, r, out);
    out /= weight_;
  }
  /// (ρL)*(ρy) = ρL*(y).
  [[nodiscard]] double fenchel_young_bound(ConstVectorRef w, ConstVectorRef p, double theta) const override {
    return weight_ * loss_->fenchel_young_bound(w, p, theta);
  }
  [[nodiscard]] const QuadraticForm* quadratic_form() const override {
    return loss_->quadratic_form() == nullptr ? nullptr : &quadratic_;
  }
  [[nodiscard]] const SampleForm* sample_form() const override {
    return loss_->sample_form() == nullptr ? nullptr : &samples_;
  }
  [[nodiscard]] bool is_trivial() const override { return loss_->is_trivial(); }
  [[nodiscard]] Index parameters() const override { return loss_->parameters(); }
  void complete(ConstVectorRef w, VectorRef all) const override { loss_->complete(w, all); }
  [[nodiscard]] std::string warning() const override { return loss_->warning(); }

 private:
  std::shared_ptr<const LocalLoss> loss_;
  double weight_;
  Vector eigenvalues_;
  Vector stiffness_;
  QuadraticForm quadratic_;
  SampleForm samples_;
};

}  // namespace

LossPtr scaled_loss(std::shared_ptr<const LocalLoss> loss, double weight) {
  assert(weight > 0);
  return std::make_unique<ScaledLoss>(std::move(loss), weight);
}

}  // namespace gtvmin
