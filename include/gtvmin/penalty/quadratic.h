#pragma once

#include <limits>
#include <utility>

#include "gtvmin/base/result.h"
#include "gtvmin/base/types.h"

namespace gtvmin {

/// φ(v) = ½vᵀQv with Q symmetric positive semidefinite, singular allowed: differences in the null space of Q cost
/// nothing and no flow runs along them. Interface: see L2Penalty.
class QuadraticPenalty {
 public:
  static constexpr bool kIsNorm = false;

  /// Fails unless q is square, symmetric and positive semidefinite (eigenvalues down to −1e-12 of the largest pass).
  static Result<QuadraticPenalty> make(const Matrix& q);

  [[nodiscard]] Index dimension() const { return form_.eigenvalues.size(); }
  /// Q.
  [[nodiscard]] Matrix matrix() const {
    return form_.eigenvectors * form_.eigenvalues.asDiagonal() * form_.eigenvectors.transpose();
  }
  [[nodiscard]] double least_eigenvalue() const { return form_.eigenvalues.minCoeff(); }

  template <class Dim>
  [[nodiscard]] double value(const double* v, Dim d) const {
    double sum = 0;
    for (Index k = 0; k < d; ++k) {
      const double along = project(k, v, d);
      sum += form_.eigenvalues[k] * along * along;
    }
    return sum / 2;
  }
  /// = (u − κQv)ᵀQ⁺(u − κQv)/(2κ); infinite if u leaves the range of Q by more than rounding.
  template <class Dim>
  [[nodiscard]] double fenchel_young(const double* v, const double* u, Dim d, double kappa, double* /*scratch*/) const {
    double sum = 0;
    double outside = 0;
    double length = 0;
    for (Index k = 0; k < d; ++k) {
      const double flow = project(k, u, d);
      const double q = form_.eigenvalues[k];
      const double wanted = kappa * q * project(k, v, d);
      length += flow * flow + wanted * wanted;  // a flow near 0 carries the rounding of the terms that cancelled in it
      if (q * kappa == 0) {
        outside += flow * flow;
      } else {
        const double miss = flow - wanted;
        sum += miss * miss / (2 * kappa * q);
      }
    }
    return outside > 1e-20 * length ? std::numeric_limits<double>::infinity() : sum;
  }
  /// κ∇φ(v) = κQv; `out` may be `v`.
  template <class Dim>
  void smooth_flow(const double* v, Dim d, double kappa, double* out, double* scratch) const {
    for (Index k = 0; k < d; ++k) scratch[k] = kappa * form_.eigenvalues[k] * project(k, v, d);
    from_eigenbasis(scratch, d, out);
  }
  template <class Dim>
  void dual_update(double* x, Dim d, double kappa, double sigma, double* scratch) const {
    dual_jvp(x, d, kappa, sigma, x, x, scratch);
  }
  /// The dual update is linear: along eigenvector k it multiplies by κq_k/(κq_k + σ). `out` may be `dx`.
  template <class Dim>
  void dual_jvp(const double* /*x*/, Dim d, double kappa, double sigma, const double* dx, double* out,
                double* scratch) const {
    for (Index k = 0; k < d; ++k) {
      const double kq = kappa * form_.eigenvalues[k];
      scratch[k] = kq / (kq + sigma) * project(k, dx, d);
    }
    from_eigenbasis(scratch, d, out);
  }

 private:
  struct EigenForm {
    Vector eigenvalues;  // ≥ 0; exactly 0 on the null space
    Matrix eigenvectors;
  };
  explicit QuadraticPenalty(EigenForm form) : form_(std::move(form)) {}

  template <class Dim>
  double project(Index k, const double* v, Dim d) const {
    const double* axis = form_.eigenvectors.data() + k * d;
    double sum = 0;
    for (Index j = 0; j < d; ++j) sum += axis[j] * v[j];
    return sum;
  }

  template <class Dim>
  void from_eigenbasis(const double* along, Dim d, double* out) const {
    for (Index j = 0; j < d; ++j) {
      double sum = 0;
      for (Index k = 0; k < d; ++k) sum += form_.eigenvectors(j, k) * along[k];
      out[j] = sum;
    }
  }

  EigenForm form_;
};

}  // namespace gtvmin
