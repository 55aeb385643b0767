#pragma once

#include <memory>
#include <string>
#include <utility>

#include "gtvmin/base/types.h"

namespace gtvmin {

/// Derive from this to bring a penalty of your own: convex, symmetric, φ(0) = 0. κ = λA_e is the edge's weight.
class PenaltyFunction {
 public:
  PenaltyFunction() = default;
  PenaltyFunction(const PenaltyFunction&) = delete;
  PenaltyFunction& operator=(const PenaltyFunction&) = delete;
  virtual ~PenaltyFunction() = default;

  [[nodiscard]] virtual std::string name() const = 0;
  /// φ(v).
  [[nodiscard]] virtual double value(ConstVectorRef v) const = 0;
  /// κφ*(u/κ); +∞ where that is infinite.
  [[nodiscard]] virtual double conjugate(ConstVectorRef u, double kappa) const = 0;
  /// x ← argmin_z κφ*(z/κ) + ‖x − z‖²/(2σ), the paper's dual update.
  virtual void dual_update(VectorRef x, double kappa, double sigma) const = 0;
};

/// A PenaltyFunction as a value. It has no curvature, so it is solved by message passing alone.
class CustomPenalty {
 public:
  static constexpr bool kIsNorm = false;

  explicit CustomPenalty(std::unique_ptr<const PenaltyFunction> function) : function_(std::move(function)) {}

  [[nodiscard]] std::string name() const { return function_->name(); }
  [[nodiscard]] double value(const double* v, Index d) const { return function_->value(view(v, d)); }
  [[nodiscard]] double fenchel_young(const double* v, const double* u, Index d, double kappa,
                                     double* /*scratch*/) const {
    const double gap = kappa * value(v, d) + function_->conjugate(view(u, d), kappa) - view(u, d).dot(view(v, d));
    return gap > 0 ? gap : 0;
  }
  void dual_update(double* x, Index d, double kappa, double sigma, double* /*scratch*/) const {
    function_->dual_update(Eigen::Map<Vector>(x, d), kappa, sigma);
  }

 private:
  static Eigen::Map<const Vector> view(const double* v, Index d) { return {v, d}; }
  std::unique_ptr<const PenaltyFunction> function_;
};

}  // namespace gtvmin
