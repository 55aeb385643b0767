#pragma once

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "gtvmin/loss/local_loss.h"
#include "gtvmin/testing/property_report.h"

/// For tests of your own loss: checks everything that LocalLoss promises, in one line.
///
///     EXPECT_LOSS_PROPERTIES_HOLD(my_loss);
///
/// Needs GoogleTest. violated_loss_properties() gives the same answer as a list.
#define EXPECT_LOSS_PROPERTIES_HOLD(...) EXPECT_TRUE(::gtvmin::loss_properties_hold(__VA_ARGS__))

namespace gtvmin {

/// The promises of a convex LocalLoss, checked at random points of its domain around its start:
///   convexity; the gradient by differences (if smooth) and as a subgradient; lower_bound below every value found;
///   prox: ∇L(z) + ρ(z − v) = 0 up to the tolerance (not smooth: ρ(v − z) is a subgradient at z), from any warm start,
///   firmly nonexpansive, within scratch_size();
///   Hessian (if there is one): by differences, symmetric positive semidefinite, added, solved with, constant if it
///   says so; fenchel_young_bound: above L(w) + ⟨y, z⟩ − L(z) − ⟨y, w⟩ for every z tried, 0 at p = 0, θ = 1, finite for
///   small p if it says so; is_trivial only where L is 0; complete gives finite parameters.
class LossProperties {
 public:
  LossProperties(const LocalLoss& loss, const PropertySampling& sampling)
      : loss_(loss), sampling_(sampling), rng_(sampling.seed), d_(loss.dimension()) {}

  [[nodiscard]] std::vector<std::string> violated() {
    start_.resize(d_);
    loss_.start(start_);
    for (int k = 0; k < sampling_.points; ++k) points_.push_back(point_in_domain(point_size(k)));
    points_.push_back(start_);
    check_values();
    check_gradient();
    check_prox();
    check_tolerance();
    check_nonexpansive();
    check_hessian();
    check_fenchel_young();
    check_complete();
    return std::move(report_).violations();
  }

 private:
  static constexpr double kRounding = 1e-11;

  /// Some points lie near 0, some far out.
  [[nodiscard]] double point_size(int k) const { return sampling_.size * (k % 3 == 0 ? 0.1 : k % 3 == 1 ? 1 : 5); }

  /// Around the start, nearer to it where L is infinite.
  [[nodiscard]] Vector point_in_domain(double size) {
    Vector step = random_vector(rng_, d_, size);
    for (int k = 0; k < 60 && !std::isfinite(loss_.value(start_ + step)); ++k) step /= 2;
    return start_ + step;
  }

  [[nodiscard]] Vector gradient(const Vector& w) const {
    Vector g = Vector::Constant(d_, std::numeric_limits<double>::quiet_NaN());
    loss_.gradient(w, g);
    return g;
  }
  [[nodiscard]] Matrix hessian(const Vector& w) const {
    Matrix h = Matrix::Zero(d_, d_);
    if (loss_.has_hessian()) loss_.add_hessian(w, h);
    return h;
  }
  [[nodiscard]] Vector prox(const Vector& v, double rho, double tolerance, const Vector& start) {
    GuardedMemory scratch(loss_.scratch_size());
    Vector z = start;
    auto view = scratch.view();
    loss_.prox(v, rho, tolerance, z, view);
    report_.expect(scratch.intact(), "prox keeps to scratch_size()", "numbers next to the scratch were overwritten");
    return z;
  }
  /// What rounding in ∇L(z) + ρ(z − v) is measured against.
  [[nodiscard]] double residual_size(const Vector& v, const Vector& z, double rho) const {
    return gradient(v).norm() + gradient(z).norm() + gradient(start_).norm() + rho * (v.norm() + z.norm());
  }
  [[nodiscard]] std::vector<double> proximities() const {
    const double size = std::max(sampling_.size, std::numeric_limits<double>::min());
    const double natural = std::max(1e-3, gradient(points_[1]).norm() / size);
    return {1e-3 * natural, natural, 30 * natural};
  }

  void check_values() {
    const double lower = loss_.lower_bound();
    report_.expect(!std::isnan(lower), "lower_bound is a number or −∞", "it is NaN");
    for (const auto& w : points_) {
      const double value = loss_.value(w);
      report_.expect(std::isfinite(value), "the value is finite", "value", value);
      report_.expect(lower <= value + kRounding * std::abs(value), "lower_bound is below L", "bound and value", lower,
                     value);
      if (loss_.is_trivial()) {
        report_.expect(value == 0 && (gradient(w).array() == 0).all(), "a trivial loss is 0", "value", value);
      }
      for (const auto& z : points_) {
        const double t = rng_.uniform();
        const double between = loss_.value(t * w + (1 - t) * z);
        const double chord = t * value + (1 - t) * loss_.value(z);
        report_.expect(between <= chord + kRounding * std::max(std::abs(chord), std::abs(value)), "L is convex",
                       "value between two points and on the chord", between, chord);
      }
    }
  }

  void check_gradient() {
    for (const auto& w : points_) {
      const Vector g = gradient(w);
      const double value = loss_.value(w);
      const Vector v = random_vector(rng_, d_, 1).normalized();
      double error = std::numeric_limits<double>::infinity();
      double slope = 0;
      for (const double relative : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7}) {
        const double h = relative * sampling_.size;
        const double difference = (loss_.value(w + h * v) - loss_.value(w - h * v)) / (2 * h);
        const double rounding = 8 * std::numeric_limits<double>::epsilon() * std::abs(value) / h;
        const double miss = std::max(0.0, std::abs(difference - g.dot(v)) - rounding);
        if (miss < error) slope = difference;
        error = std::min(error, miss);
      }
      report_.expect((error <= 1e-6 * g.norm() || !loss_.is_smooth()) && g.allFinite(),
                     "the gradient is the derivative of the value",
                     "directional derivative by differences and by the gradient", slope, g.dot(v));
      for (const auto& z : points_) {
        const double below = value + g.dot(z - w);
        const double above = loss_.value(z);
        const double size = std::abs(value) + std::abs(above) + g.norm() * (z - w).norm();
        report_.expect(below <= above + kRounding * size, "the gradient is a subgradient", "tangent and value", below,
                       above);
      }
    }
  }

  void check_prox() {
    for (const auto& v : points_) {
      for (const double rho : proximities()) {
        const Vector z = prox(v, rho, 0, points_[rng_.below(points_.size())]);
        if (loss_.is_smooth()) {
          const double residual = (gradient(z) + rho * (z - v)).norm();
          report_.expect(residual <= 1e-9 * residual_size(v, z, rho) && z.allFinite(), "the prox is optimal",
                         "‖∇L(z) + ρ(z − v)‖ and its natural size", residual, residual_size(v, z, rho));
        } else {
          check_subgradient(z, rho * (v - z));
        }
        report_.expect(loss_.lower_bound() <= loss_.value(z) + kRounding * std::abs(loss_.value(v)),
                       "lower_bound is below L", "bound and value", loss_.lower_bound(), loss_.value(z));
      }
    }
  }

  void check_subgradient(const Vector& z, const Vector& y) {
    const double value = loss_.value(z);
    for (const auto& x : points_) {
      const double below = value + y.dot(x - z);
      const double above = loss_.value(x);
      const double size = std::abs(value) + std::abs(above) + y.norm() * (x - z).norm();
      report_.expect(below <= above + kRounding * size, "the prox is optimal: ρ(v − z) is a subgradient",
                     "tangent and value", below, above);
    }
  }

  void check_tolerance() {
    for (const auto& v : points_) {
      for (const double rho : proximities()) {
        for (const double relative : {1e-1, 1e-4, 1e-7}) {
          const double tolerance = relative * residual_size(v, v, rho);
          const Vector z = prox(v, rho, tolerance, points_[rng_.below(points_.size())]);
          // With kinks, what the tolerance means for the distance from the prox.
          const double residual =
              loss_.is_smooth() ? (gradient(z) + rho * (z - v)).norm() : rho * (z - prox(v, rho, 0, v)).norm();
          report_.expect(residual <= tolerance + 1e-10 * residual_size(v, z, rho), "the prox keeps the tolerance",
                         "‖∇L(z) + ρ(z − v)‖ and the tolerance", residual, tolerance);
        }
      }
    }
  }

  void check_nonexpansive() {
    for (const double rho : proximities()) {
      for (std::size_t k = 1; k < points_.size(); ++k) {
        const Vector dv = points_[k] - points_[k - 1];
        const Vector dz = prox(points_[k], rho, 0, points_[k]) - prox(points_[k - 1], rho, 0, points_[k - 1]);
        report_.expect(dz.squaredNorm() <= dz.dot(dv) + 1e-8 * dv.squaredNorm(), "the prox is firmly nonexpansive",
                       "‖Δz‖² and ⟨Δz, Δv⟩", dz.squaredNorm(), dz.dot(dv));
      }
    }
  }

  void check_hessian() {
    if (!loss_.has_hessian()) {
      Matrix untouched = Matrix::Zero(d_, d_);
      loss_.add_hessian(points_.front(), untouched);
      report_.expect(untouched.isZero(0) && !loss_.hessian_is_constant(), "a loss without Hessian claims none",
                     "add_hessian or hessian_is_constant do");
      return;
    }
    const Matrix first = hessian(points_.front());
    for (const auto& w : points_) {
      const Matrix h = hessian(w);
      const double size = std::max(h.norm(), std::numeric_limits<double>::min());
      check_hessian_by_differences(w, h);
      report_.expect((h - h.transpose()).norm() <= kRounding * size, "the Hessian is symmetric", "asymmetry",
                     (h - h.transpose()).norm());
      const double least = Eigen::SelfAdjointEigenSolver<Matrix>(h).eigenvalues()[0];
      report_.expect(least >= -1e-10 * size, "the Hessian is positive semidefinite", "least eigenvalue", least);
      check_hessian_solve(w, h);
      Matrix sum = Matrix::Constant(d_, d_, size);
      loss_.add_hessian(w, sum);
      report_.expect((sum - h - Matrix::Constant(d_, d_, size)).norm() <= kRounding * size * static_cast<double>(d_),
                     "add_hessian adds", "it overwrites");
      if (loss_.hessian_is_constant()) {
        report_.expect((h - first).norm() <= kRounding * size, "a constant Hessian is constant",
                       "change between two points", (h - first).norm());
      }
    }
  }

  /// For r in the range of ∇²L, so that the system has solutions.
  void check_hessian_solve(const Vector& w, const Matrix& h) {
    const Vector r = h * random_vector(rng_, d_, 1);
    Vector solution = Vector::Constant(d_, std::numeric_limits<double>::quiet_NaN());
    loss_.solve_hessian(w, r, solution);
    const double error = (h * solution - r).norm();
    report_.expect(error <= 1e-8 * r.norm() + std::numeric_limits<double>::min() && solution.allFinite(),
                   "solve_hessian solves ∇²L p = r", "‖∇²L p − r‖ and ‖r‖", error, r.norm());
  }

  void check_hessian_by_differences(const Vector& w, const Matrix& h) {
    const Vector v = random_vector(rng_, d_, 1).normalized();
    const double gradient_norm = gradient(w).norm();
    double error = std::numeric_limits<double>::infinity();
    for (const double relative : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7}) {
      const double step = relative * sampling_.size;
      const Vector difference = (gradient(w + step * v) - gradient(w - step * v)) / (2 * step);
      const double rounding = 8 * std::numeric_limits<double>::epsilon() * gradient_norm / step;
      error = std::min(error, std::max(0.0, (difference - h * v).norm() - rounding));
    }
    report_.expect(error <= 1e-6 * h.norm() + 1e-13 * gradient_norm / sampling_.size && h.allFinite(),
                   "the Hessian is the derivative of the gradient", "error of a Hessian-vector product and its size",
                   error, (h * v).norm());
  }

  void check_fenchel_young() {
    for (const auto& w : points_) {
      const double value = loss_.value(w);
      const double at_gradient = loss_.fenchel_young_bound(w, Vector::Zero(d_), 1);
      report_.expect(at_gradient >= 0 && at_gradient <= kRounding * std::abs(value),
                     "fenchel_young_bound is 0 at the gradient", "bound", at_gradient);
      for (const double theta : {0.0, 0.3, 0.95, 1.0}) {
        for (const double length : {0.0, 1e-3, 0.1, 1.0}) {
          const Vector p = random_vector(rng_, d_, length * sampling_.size);
          check_bound(w, value, p, theta);
        }
      }
    }
  }

  /// The supremum over z of ⟨y, z⟩ − L(z) is approached by proximal steps, so the bound cannot be a little too small.
  void check_bound(const Vector& w, double value, const Vector& p, double theta) {
    const Vector y = theta * (gradient(w) + hessian(w) * p);
    const double bound = loss_.fenchel_young_bound(w, p, theta);
    if (theta == 1 && loss_.bounds_hessian_steps()) {
      const double nearby = loss_.fenchel_young_bound(w, 1e-9 * p, theta);
      report_.expect(std::isfinite(nearby), "fenchel_young_bound is finite for small p", "bound", nearby);
    }
    const auto check = [&](const Vector& z) {
      const double attained = value + y.dot(z - w) - loss_.value(z);
      const double size = std::abs(value) + std::abs(loss_.value(z)) + y.norm() * (z - w).norm();
      report_.expect(attained <= bound + kRounding * size && bound >= 0,
                     "fenchel_young_bound is above L(w) + L*(y) − ⟨y, w⟩", "attained and bound", attained, bound);
    };
    for (const auto& z : points_) check(z);
    Vector z = w;
    for (const double rho : {1.0, 0.1, 0.01, 0.001}) {
      const double proximity = rho * proximities()[1];
      z = prox(z + y / proximity, proximity, 0, z);
      check(z);
    }
  }

  void check_complete() {
    for (const auto& w : points_) {
      Vector all = Vector::Constant(loss_.parameters(), std::numeric_limits<double>::quiet_NaN());
      loss_.complete(w, all);
      report_.expect(all.allFinite() && all.size() >= d_, "complete gives all parameters", "how many", all.size());
    }
  }

  const LocalLoss& loss_;
  PropertySampling sampling_;
  Rng rng_;
  Index d_;
  Vector start_;
  std::vector<Vector> points_;
  PropertyReport report_;
};

/// The promises of LocalLoss that do not hold, in words; empty if all hold.
[[nodiscard]] inline std::vector<std::string> violated_loss_properties(const LocalLoss& loss,
                                                                       const PropertySampling& sampling = {}) {
  return LossProperties(loss, sampling).violated();
}

[[nodiscard]] inline ::testing::AssertionResult loss_properties_hold(const LocalLoss& loss,
                                                                     const PropertySampling& sampling = {}) {
  const auto violated = violated_loss_properties(loss, sampling);
  if (violated.empty()) return ::testing::AssertionSuccess();
  auto failure = ::testing::AssertionFailure();
  for (const auto& property : violated) failure << "\n  " << property;
  return failure;
}

}  // namespace gtvmin
