#include "gtvmin/loss/sum_loss.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <utility>

#include "gtvmin/loss/quadratic_loss.h"
#include "proximal_newton.h"

namespace gtvmin {
namespace {

class SumLoss final : public LocalLoss {
 public:
  explicit SumLoss(std::vector<const LocalLoss*> losses) : losses_(std::move(losses)) {}

  [[nodiscard]] Index dimension() const override { return losses_.front()->dimension(); }
  [[nodiscard]] double value(ConstVectorRef w) const override {
    double sum = 0;
    for (const LocalLoss* loss : losses_) sum += loss->value(w);
    return sum;
  }
  void gradient(ConstVectorRef w, VectorRef g) const override {
    Vector part(dimension());
    g.setZero();
    for (const LocalLoss* loss : losses_) {
      loss->gradient(w, part);
      g += part;
    }
  }
  /// The start of one summand may lie outside the domain of another, as 0 does for a matrix that must be definite.
  void start(VectorRef w) const override {
    for (const LocalLoss* loss : losses_) {
      loss->start(w);
      if (std::isfinite(value(w))) return;
    }
  }
  [[nodiscard]] double lower_bound() const override {
    double sum = 0;
    for (const LocalLoss* loss : losses_) sum += loss->lower_bound();
    return sum;
  }
  [[nodiscard]] bool has_hessian() const override { return true; }
  [[nodiscard]] bool bounds_hessian_steps() const override {
    return std::all_of(losses_.begin(), losses_.end(), [](const LocalLoss* l) { return l->bounds_hessian_steps(); });
  }
  /// L* at Σ_k y_k is at most Σ_k L_k*(y_k), here with y_k = θ(∇L_k(w) + ∇²L_k(w) p).
  [[nodiscard]] double fenchel_young_bound(ConstVectorRef w, ConstVectorRef p, double theta) const override {
    double sum = 0;
    for (const LocalLoss* loss : losses_) sum += loss->fenchel_young_bound(w, p, theta);
    return sum;
  }
  void add_hessian(ConstVectorRef w, MatrixRef hessian) const override {
    for (const LocalLoss* loss : losses_) loss->add_hessian(w, hessian);
  }
  void solve_hessian(ConstVectorRef w, ConstVectorRef r, VectorRef out) const override {
    Matrix hessian = Matrix::Zero(dimension(), dimension());
    add_hessian(w, hessian);
    out = hessian.completeOrthogonalDecomposition().solve(r);
  }
  [[nodiscard]] Index scratch_size() const override { return dimension() * (dimension() + 3); }
  void prox(ConstVectorRef v, double rho, double tolerance, VectorRef z, VectorRef scratch) const override {
    const Index d = dimension();
    Eigen::Map<Matrix> hessian(scratch.data(), d, d);
    Eigen::Map<Matrix> memory(scratch.data() + d * d, d, 3);
    const auto newton = [&](ConstVectorRef at, ConstVectorRef g, VectorRef step) {
      hessian.setZero();
      add_hessian(at, hessian);
      hessian.diagonal().array() += rho;
      step = g;
      Eigen::LLT<Eigen::Ref<Matrix>>(hessian).solveInPlace(step);
    };
    Vector first(d);
    start(first);
    proximal_newton(*this, v, Vector::Constant(d, rho), first, tolerance, z, memory, newton);
  }

 private:
  std::vector<const LocalLoss*> losses_;
};

}  // namespace

LossPtr sum_loss(std::vector<const LocalLoss*> losses) {
  const bool quadratic = std::all_of(losses.begin(), losses.end(),
                                     [](const LocalLoss* loss) { return loss->quadratic_form() != nullptr; });
  if (quadratic) return QuadraticLoss::sum(losses);
  return std::make_unique<SumLoss>(std::move(losses));
}

}  // namespace gtvmin
