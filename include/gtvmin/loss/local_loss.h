#pragma once

#include <limits>
#include <memory>
#include <string>

#include "gtvmin/base/types.h"
#include "gtvmin/loss/sample_form.h"

namespace gtvmin {

/// The numbers of a loss ½(w − w₀)ᵀH(w − w₀) + c with H = U diag(λ) Uᵀ + µ(I − UUᵀ), U orthonormal, λ ≥ µ; c is its
/// lower bound.
struct QuadraticForm {
  const double* minimiser = nullptr;    // w₀, d numbers
  const double* eigenvalues = nullptr;  // λ, `rank` numbers
  const double* basis = nullptr;        // U, d × rank, column-major
  Index rank = 0;
  double floor = 0;  // µ
};

/// The loss L(w) of one local dataset, w ∈ ℝᵈ. Convex and differentiable unless it says otherwise; +∞ outside its
/// domain.
///
/// What the method needs is value, gradient and
///     prox(v, ρ) = argmin_z L(z) + (ρ/2)‖z − v‖²       (the paper's primal update, ρ = 1/τ).
/// The curvature facts are optional; they buy certificates that are finite without a radius, and the second-order
/// gear. A loss that leaves them out still works.
///
/// Implementations are immutable and are called from several threads. Vectors that come in are contiguous.
class LocalLoss {
 public:
  LocalLoss() = default;
  LocalLoss(const LocalLoss&) = delete;
  LocalLoss& operator=(const LocalLoss&) = delete;
  virtual ~LocalLoss() = default;

  [[nodiscard]] virtual Index dimension() const = 0;
  [[nodiscard]] virtual double value(ConstVectorRef w) const = 0;
  virtual void gradient(ConstVectorRef w, VectorRef g) const = 0;

  /// False for neural nets: the prox is then an improvement over its warm start, and nothing can be certified.
  [[nodiscard]] virtual bool is_convex() const { return true; }
  /// False where L has kinks: `gradient` is then any subgradient, and the certificate finds the right one by the prox.
  [[nodiscard]] virtual bool is_smooth() const { return true; }
  /// Where to start: a point at which L is finite.
  virtual void start(VectorRef w) const { w.setZero(); }

  /// On entry z is a warm start, on return the prox. An iterative prox stops once
  /// ‖∇L(z) + ρ(z − v)‖ ≤ tolerance; tolerance 0 asks for machine precision; a closed form ignores it.
  /// `scratch` has scratch_size() numbers, so that nothing is allocated here.
  virtual void prox(ConstVectorRef v, double rho, double tolerance, VectorRef z, VectorRef scratch) const = 0;
  [[nodiscard]] virtual Index scratch_size() const { return 0; }

  /// inf L, or any lower bound of it.
  [[nodiscard]] virtual double lower_bound() const { return -std::numeric_limits<double>::infinity(); }

  /// True if add_hessian knows ∇²L.
  [[nodiscard]] virtual bool has_hessian() const { return false; }
  /// True if fenchel_young_bound is finite for small p ≠ 0. Otherwise the certificate uses the prox instead.
  [[nodiscard]] virtual bool bounds_hessian_steps() const { return has_hessian(); }
  /// True if ∇²L is the same for every w: it is then computed once.
  [[nodiscard]] virtual bool hessian_is_constant() const { return false; }
  /// hessian += ∇²L(w).
  virtual void add_hessian(ConstVectorRef /*w*/, MatrixRef /*hessian*/) const {}

  /// out = ∇²L(w) p.
  virtual void apply_hessian(ConstVectorRef w, ConstVectorRef p, VectorRef out) const {
    Matrix hessian = Matrix::Zero(w.size(), w.size());
    add_hessian(w, hessian);
    out = hessian * p;
  }
  /// out = ∇²L(w)⁺ r, the least-norm solution; 0 if the Hessian is not known.
  virtual void solve_hessian(ConstVectorRef /*w*/, ConstVectorRef /*r*/, VectorRef out) const { out.setZero(); }

  /// An upper bound of L(w) + L*(y) − ⟨y, w⟩ ≥ 0 at y = θ (∇L(w) + ∇²L(w) p), for θ ∈ [0, 1]: the share of this
  /// node in the duality gap. By convexity of L*, L*(θ∇L(w)) ≤ θ L*(∇L(w)) − (1 − θ) inf L, hence the default for a
  /// loss without Hessian (there p does not count).
  [[nodiscard]] virtual double fenchel_young_bound(ConstVectorRef w, ConstVectorRef /*p*/, double theta) const {
    return theta == 1 ? 0 : (1 - theta) * (value(w) - lower_bound());
  }

  /// The numbers behind a quadratic loss, for sweeps over many nodes; null for any other loss.
  [[nodiscard]] virtual const QuadraticForm* quadratic_form() const { return nullptr; }

  /// The samples behind the loss, where it is a sum over samples of a known link; null for any other loss.
  [[nodiscard]] virtual const SampleForm* sample_form() const { return nullptr; }

  /// True where L is identically 0: a node whose data are not accessible.
  [[nodiscard]] virtual bool is_trivial() const { return false; }

  /// Parameters that are private to the node are not coupled over the graph and no part of w: L(w) is the least over
  /// them. All parameters of the node's model, in the model's order, the private ones at their best for this w.
  [[nodiscard]] virtual Index parameters() const { return dimension(); }
  virtual void complete(ConstVectorRef w, VectorRef all) const { all = w; }

  /// What a user should know about how this node was trained; empty: nothing.
  [[nodiscard]] virtual std::string warning() const { return {}; }
};

using LossPtr = std::unique_ptr<const LocalLoss>;

}  // namespace gtvmin
