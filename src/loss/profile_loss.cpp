#include "gtvmin/loss/profile_loss.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "gtvmin/loss/quadratic_loss.h"
#include "proximal_newton.h"

namespace gtvmin {
namespace {

/// Which parameters of a model are coupled, and which are private.
struct Split {
  Split(std::span<const Index> of_coupled, Index parameters) : coupled(of_coupled.begin(), of_coupled.end()) {
    for (Index j = 0; j < parameters; ++j) {
      if (!std::binary_search(coupled.begin(), coupled.end(), j)) own.push_back(j);
    }
  }
  [[nodiscard]] Index parameters() const { return static_cast<Index>(coupled.size() + own.size()); }

  std::vector<Index> coupled;
  std::vector<Index> own;  // private
};

/// Losses in the coupled parameters that remember the others.
class PartialLoss : public LocalLoss {
 public:
  explicit PartialLoss(Split split) : split_(std::move(split)) {}
  [[nodiscard]] Index dimension() const final { return static_cast<Index>(split_.coupled.size()); }
  [[nodiscard]] Index parameters() const final { return split_.parameters(); }
  /// That of the full loss; the coupled parameters are a part of it.
  [[nodiscard]] const SampleForm* sample_form() const final { return has_samples_ ? &samples_ : nullptr; }

 protected:
  void keep_samples(const LocalLoss& full) {
    if (full.sample_form() == nullptr) return;
    samples_ = *full.sample_form();
    samples_.coupled = split_.coupled;
    has_samples_ = true;
  }

  Split split_;

 private:
  SampleForm samples_;
  bool has_samples_ = false;
};

/// A quadratic loss keeps its form: the Schur complement of the private block, and the minimiser as it was.
class QuadraticProfile final : public PartialLoss {
 public:
  QuadraticProfile(LossPtr of_all, Split split) : PartialLoss(std::move(split)), full_(std::move(of_all)) {
    const LocalLoss& full = *full_;
    keep_samples(full);
    const QuadraticForm& form = *full.quadratic_form();
    const Index d = full.dimension();
    minimiser_ = Eigen::Map<const Vector>(form.minimiser, d);
    Matrix hessian = Matrix::Zero(d, d);
    full.add_hessian(minimiser_, hessian);
    const Matrix own = hessian(split_.own, split_.own);
    follow_ = -own.completeOrthogonalDecomposition().solve(hessian(split_.own, split_.coupled));
    const Matrix of_coupled = hessian(split_.coupled, split_.coupled) + hessian(split_.coupled, split_.own) * follow_;
    const Vector minimiser = minimiser_(split_.coupled);
    reduced_ = QuadraticLoss::from_hessian((of_coupled + of_coupled.transpose()) / 2, minimiser, full.lower_bound());
  }

  [[nodiscard]] double value(ConstVectorRef w) const override {
    Vector all(parameters());
    complete(w, all);
    return full_->value(all);
  }
  void gradient(ConstVectorRef w, VectorRef g) const override { reduced_->gradient(w, g); }
  void prox(ConstVectorRef v, double rho, double tolerance, VectorRef z, VectorRef scratch) const override {
    reduced_->prox(v, rho, tolerance, z, scratch);
  }
  [[nodiscard]] Index scratch_size() const override { return reduced_->scratch_size(); }
  [[nodiscard]] double lower_bound() const override { return reduced_->lower_bound(); }
  [[nodiscard]] bool has_hessian() const override { return true; }
  [[nodiscard]] bool hessian_is_constant() const override { return true; }
  void add_hessian(ConstVectorRef w, MatrixRef hessian) const override { reduced_->add_hessian(w, hessian); }
  void apply_hessian(ConstVectorRef w, ConstVectorRef p, VectorRef out) const override {
    reduced_->apply_hessian(w, p, out);
  }
  void solve_hessian(ConstVectorRef w, ConstVectorRef r, VectorRef out) const override {
    reduced_->solve_hessian(w, r, out);
  }
  [[nodiscard]] double fenchel_young_bound(ConstVectorRef w, ConstVectorRef p, double theta) const override {
    return reduced_->fenchel_young_bound(w, p, theta);
  }
  [[nodiscard]] const QuadraticForm* quadratic_form() const override { return reduced_->quadratic_form(); }
  [[nodiscard]] bool is_trivial() const override { return reduced_->is_trivial(); }

  void complete(ConstVectorRef w, VectorRef all) const override {
    all(split_.coupled) = w;
    all(split_.own) = minimiser_(split_.own) + follow_ * (w - minimiser_(split_.coupled));
  }

 private:
  LossPtr full_;
  Vector minimiser_;  // of all parameters
  Matrix follow_;     // how the private ones follow the coupled ones
  LossPtr reduced_;
};

/// Any other loss with a Hessian. Minimised over w_p with (ε/2)‖w_p‖² added, so that the least is attained.
class SmoothProfile final : public PartialLoss {
 public:
  SmoothProfile(LossPtr full, Split split) : PartialLoss(std::move(split)), full_(std::move(full)) {
    keep_samples(*full_);
    const Vector diagonal = hessian_at(Vector::Zero(parameters())).diagonal();
    const double curvature = diagonal(split_.own).mean();
    epsilon_ = 1e-9 * (curvature > 0 ? curvature : 1);
  }

  [[nodiscard]] double value(ConstVectorRef w) const override { return full_->value(completed(w)); }
  void gradient(ConstVectorRef w, VectorRef g) const override {
    Vector of_all(parameters());
    full_->gradient(completed(w), of_all);
    g = of_all(split_.coupled);
  }
  void prox(ConstVectorRef v, double rho, double tolerance, VectorRef z, VectorRef /*scratch*/) const override {
    Vector all = assembled(z);
    minimise(assembled(v), rho, tolerance, all);
    z = all(split_.coupled);
  }
  [[nodiscard]] double lower_bound() const override { return full_->lower_bound(); }
  [[nodiscard]] bool has_hessian() const override { return true; }
  [[nodiscard]] bool bounds_hessian_steps() const override { return full_->bounds_hessian_steps(); }
  void add_hessian(ConstVectorRef w, MatrixRef hessian) const override {
    const Matrix of_all = hessian_at(completed(w));
    hessian += of_all(split_.coupled, split_.coupled) + of_all(split_.coupled, split_.own) * follow(of_all);
  }
  void solve_hessian(ConstVectorRef w, ConstVectorRef r, VectorRef out) const override {
    Matrix hessian = Matrix::Zero(dimension(), dimension());
    add_hessian(w, hessian);
    out = hessian.completeOrthogonalDecomposition().solve(r);
  }
  /// The private parameters follow a step p of the coupled ones such that their part of the target stays 0.
  [[nodiscard]] double fenchel_young_bound(ConstVectorRef w, ConstVectorRef p, double theta) const override {
    const Vector all = completed(w);
    Vector step = assembled(p);
    step(split_.own) = follow(hessian_at(all)) * p;
    const Vector missed = (1 - theta) * all(split_.own) - theta * step(split_.own);
    return full_->fenchel_young_bound(all, step, theta) + epsilon_ / 2 * missed.squaredNorm();
  }

  void complete(ConstVectorRef w, VectorRef all) const override { all = completed(w); }

 private:
  [[nodiscard]] Matrix hessian_at(const Vector& all) const {
    Matrix hessian = Matrix::Zero(parameters(), parameters());
    full_->add_hessian(all, hessian);
    return hessian;
  }
  /// −(∇²_pp + ε)⁻¹ ∇²_pc.
  [[nodiscard]] Matrix follow(const Matrix& hessian) const {
    Matrix own = hessian(split_.own, split_.own);
    own.diagonal().array() += epsilon_;
    return -own.llt().solve(hessian(split_.own, split_.coupled));
  }
  /// The coupled parameters, the private ones 0.
  [[nodiscard]] Vector assembled(ConstVectorRef w) const {
    Vector all = Vector::Zero(parameters());
    all(split_.coupled) = w;
    return all;
  }
  /// The coupled parameters, the private ones at their best.
  [[nodiscard]] Vector completed(ConstVectorRef w) const {
    constexpr double kHeld = std::numeric_limits<double>::infinity();
    Vector all = assembled(w);
    minimise(assembled(w), kHeld, 0, all);
    return all;
  }

  /// argmin of full + Σ ½ρ_j(z_j − v_j)² with ρ_j = ε and v_j = 0 for private parameters; ρ = ∞ holds the coupled ones.
  void minimise(const Vector& v, double rho, double tolerance, Vector& z) const {
    const bool held = std::isinf(rho);
    Vector weights = Vector::Constant(parameters(), held ? 0 : rho);
    weights(split_.own).setConstant(epsilon_);
    const auto newton = [&](ConstVectorRef at, ConstVectorRef g, VectorRef step) {
      Matrix hessian = hessian_at(at);
      hessian.diagonal() += weights;
      if (held) {
        step.setZero();
        const Matrix own = hessian(split_.own, split_.own);
        const Vector of_own = own.llt().solve(Vector(g(split_.own)));
        step(split_.own) = of_own;
      } else {
        step = hessian.llt().solve(g);
      }
    };
    const Vector start = held ? v : Vector(Vector::Zero(parameters()));
    Matrix memory(parameters(), 3);
    proximal_newton(Restricted{*full_, held ? &split_ : nullptr}, v, weights, start, tolerance, z, memory, newton);
  }

  /// The full loss as the inner method sees it: where the coupled parameters are held, their gradient does not count.
  struct Restricted {
    const LocalLoss& full;
    const Split* held;

    [[nodiscard]] double value(ConstVectorRef w) const { return full.value(w); }
    void gradient(ConstVectorRef w, VectorRef g) const {
      full.gradient(w, g);
      if (held != nullptr) g(held->coupled).setZero();
    }
  };

  LossPtr full_;
  double epsilon_ = 0;
};

}  // namespace

LossPtr profile_loss(LossPtr full, std::span<const Index> coupled) {
  Split split(coupled, full->dimension());
  if (full->quadratic_form() != nullptr) return std::make_unique<QuadraticProfile>(std::move(full), std::move(split));
  if (!full->has_hessian() || !std::isfinite(full->value(Vector::Zero(full->dimension())))) return nullptr;
  return std::make_unique<SmoothProfile>(std::move(full), std::move(split));
}

}  // namespace gtvmin
