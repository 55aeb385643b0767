#pragma once

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "gtvmin/penalty/penalty.h"
#include "gtvmin/testing/property_report.h"

/// For tests of your own penalty: checks everything that a penalty promises, in one line.
///
///     EXPECT_PENALTY_PROPERTIES_HOLD(Penalty(CustomPenalty(std::make_unique<MyPenalty>())), 3);
///
/// The number is the dimension of the vectors. Needs GoogleTest. violated_penalty_properties() gives the same answer as
/// a list.
#define EXPECT_PENALTY_PROPERTIES_HOLD(...) EXPECT_TRUE(::gtvmin::penalty_properties_hold(__VA_ARGS__))

namespace gtvmin {

/// The promises of a penalty (see L2Penalty), checked at random points in dimension d:
///   φ(0) = 0, symmetry, convexity;
///   u = dual_update(x) and y = (x − u)/σ are a pair: u is a subgradient of κφ at y (Moreau's identity), found by
///   looking at φ alone; fenchel_young is 0 there, ≥ 0 everywhere and has the value that φ and the pair give it;
///   dual_update is odd, firmly nonexpansive, 0 for κ = 0, and keeps to d numbers of scratch;
///   dual_jvp, where there is one: by differences, symmetric, with eigenvalues in [0, 1];
///   norms: homogeneous, flows land in the κ-ball of dual_norm, and that is the dual norm.
template <class PenaltyType>
class PenaltyProperties {
 public:
  PenaltyProperties(const PenaltyType& penalty, Index dimension, const PropertySampling& sampling)
      : penalty_(penalty), sampling_(sampling), rng_(sampling.seed), d_(dimension) {}

  [[nodiscard]] std::vector<std::string> violated() {
    for (int k = 0; k < sampling_.points; ++k) {
      points_.push_back(random_vector(rng_, d_, sampling_.size * (k % 3 == 0 ? 0.1 : k % 3 == 1 ? 1 : 5)));
      // Kinks of the usual penalties: coordinates that are 0 or equal.
      if (k % 4 == 3) points_.back()[static_cast<Index>(rng_.below(d_))] = 0;
    }
    points_.emplace_back(Vector::Zero(d_));
    check_values();
    for (const double kappa : {0.3, 1.0, 4.0}) {
      for (const double sigma : {0.2, 1.0, 6.0}) {
        kappa_ = kappa * sampling_.size;
        sigma_ = sigma;
        check_dual_update();
        check_jacobian();
      }
    }
    check_norm();
    check_smooth_flow();
    check_zero_weight();
    return std::move(report_).violations();
  }

 private:
  static constexpr double kRounding = 1e-12;

  [[nodiscard]] double value(const Vector& v) const { return penalty_.value(v.data(), d_); }
  [[nodiscard]] double fenchel_young(const Vector& v, const Vector& u, double kappa) {
    GuardedMemory scratch(d_);
    const double gap = penalty_.fenchel_young(v.data(), u.data(), d_, kappa, scratch.data());
    report_.expect(scratch.intact(), "scratch has d numbers", "numbers next to it were overwritten");
    return gap;
  }
  [[nodiscard]] Vector dual_update(const Vector& x, double kappa, double sigma) {
    GuardedMemory scratch(d_);
    GuardedMemory flow(d_);
    flow.view() = x;
    penalty_.dual_update(flow.data(), d_, kappa, sigma, scratch.data());
    report_.expect(scratch.intact() && flow.intact(), "scratch has d numbers", "numbers next to it were overwritten");
    return flow.view();
  }

  void check_values() {
    report_.expect(value(Vector::Zero(d_)) == 0, "φ(0) = 0", "φ(0) =", value(Vector::Zero(d_)));
    for (const auto& v : points_) {
      const double at_v = value(v);
      report_.expect(at_v >= 0 && std::isfinite(at_v), "φ is ≥ 0 and finite", "φ(v) =", at_v);
      report_.expect(std::abs(at_v - value(-v)) <= kRounding * at_v, "φ is symmetric", "φ(v) and φ(−v)", at_v,
                     value(-v));
      for (const auto& z : points_) {
        const double t = rng_.uniform();
        const double between = value(t * v + (1 - t) * z);
        const double chord = t * at_v + (1 - t) * value(z);
        report_.expect(between <= chord * (1 + kRounding), "φ is convex", "value between two points and on the chord",
                       between, chord);
      }
    }
  }

  void check_dual_update() {
    Vector previous_x = Vector::Zero(d_);
    Vector previous_u = dual_update(previous_x, kappa_, sigma_);
    for (const auto& x : points_) {
      const Vector u = dual_update(x, kappa_, sigma_);
      const Vector y = (x - u) / sigma_;
      check_pair(u, y);
      const Vector opposite = dual_update(-x, kappa_, sigma_);
      report_.expect((u + opposite).norm() <= kRounding * x.norm(), "dual_update is odd",
                     "‖u(x) + u(−x)‖ =", (u + opposite).norm());
      const Vector du = u - previous_u;
      const Vector dx = x - previous_x;
      report_.expect(du.squaredNorm() <= du.dot(dx) + kRounding * (x.squaredNorm() + previous_x.squaredNorm()),
                     "dual_update is firmly nonexpansive", "‖Δu‖² and ⟨Δu, Δx⟩", du.squaredNorm(), du.dot(dx));
      previous_x = x;
      previous_u = u;
    }
  }

  /// u must be a subgradient of κφ at y: then κφ*(u/κ) = ⟨u, y⟩ − κφ(y), which says what fenchel_young is everywhere.
  void check_pair(const Vector& u, const Vector& y) {
    const double at_y = kappa_ * value(y);
    std::vector<Vector> others = {Vector::Zero(d_), 2 * y, -y, 0.999 * y, 1.001 * y};
    for (const auto& v : points_) {
      others.push_back(v);
      others.emplace_back(y + 1e-3 * v);
    }
    for (const auto& z : others) {
      const double tangent = at_y + u.dot(z - y);
      const double above = kappa_ * value(z);
      const double size = at_y + above + u.norm() * (z.norm() + y.norm());
      report_.expect(tangent <= above + kRounding * size, "dual_update gives a subgradient (Moreau)",
                     "κφ(y) + ⟨u, z − y⟩ and κφ(z)", tangent, above);
      const double gap = fenchel_young(z, u, kappa_);
      report_.expect(gap >= 0, "fenchel_young is ≥ 0", "it is", gap);
      report_.expect(std::abs(gap - (above - tangent)) <= 1e-10 * size, "fenchel_young is κφ(v) + κφ*(u/κ) − ⟨u, v⟩",
                     "it is, and should be", gap, above - tangent);
    }
    const double at_pair = fenchel_young(y, u, kappa_);
    report_.expect(at_pair <= 1e-10 * (at_y + u.norm() * y.norm()), "fenchel_young is 0 at a pair", "it is", at_pair);
  }

  void check_jacobian() {
    if constexpr (requires { penalty_.dual_jvp(nullptr, d_, 1.0, 1.0, nullptr, nullptr, nullptr); }) {
      for (const auto& x : points_) {
        if (x.isZero(0) || (x.array() == 0).any()) continue;  // a kink, where any of several answers is right
        Matrix jacobian(d_, d_);
        for (Index j = 0; j < d_; ++j) {
          GuardedMemory scratch(d_);
          const Vector unit = Vector::Unit(d_, j);
          penalty_.dual_jvp(x.data(), d_, kappa_, sigma_, unit.data(), jacobian.data() + j * d_, scratch.data());
          report_.expect(scratch.intact(), "scratch has d numbers", "numbers next to it were overwritten");
        }
        const double asymmetry = (jacobian - jacobian.transpose()).norm();
        report_.expect(asymmetry <= kRounding, "dual_jvp is symmetric", "asymmetry", asymmetry);
        const Eigen::SelfAdjointEigenSolver<Matrix> eigen(jacobian);
        const double least = eigen.eigenvalues()[0];
        const double most = eigen.eigenvalues()[d_ - 1];
        report_.expect(least >= -kRounding && most <= 1 + kRounding, "dual_jvp has eigenvalues in [0, 1]",
                       "least and greatest", least, most);
        const Vector v = random_vector(rng_, d_, 1).normalized();
        double error = std::numeric_limits<double>::infinity();
        for (const double relative : {1e-4, 1e-5, 1e-6, 1e-7}) {
          const double h = relative * sampling_.size;
          const Vector difference =
              (dual_update(x + h * v, kappa_, sigma_) - dual_update(x - h * v, kappa_, sigma_)) / (2 * h);
          error = std::min(error, (difference - jacobian * v).norm());
        }
        report_.expect(error <= 1e-6, "dual_jvp is the derivative of dual_update", "error", error);
      }
    }
  }

  void check_norm() {
    if constexpr (PenaltyType::kIsNorm) {
      const double kappa = 0.7 * sampling_.size;
      for (const auto& x : points_) {
        const double scaled = value(-2.5 * x);
        report_.expect(std::abs(scaled - 2.5 * value(x)) <= kRounding * scaled, "a norm is homogeneous",
                       "φ(−2.5v) and 2.5φ(v)", scaled, 2.5 * value(x));
        const Vector u = dual_update(x, kappa, 1);
        const double norm = penalty_.dual_norm(u.data(), d_);
        report_.expect(norm <= kappa * (1 + kRounding), "flows land in the ball", "dual norm and κ", norm, kappa);
        double ratio = 0;
        for (const auto& v : points_) {
          if (value(v) > 0) ratio = std::max(ratio, u.dot(v) / value(v));
        }
        report_.expect(ratio <= norm * (1 + 1e-10), "dual_norm is the dual norm", "⟨u, v⟩/φ(v) and dual_norm(u)", ratio,
                       norm);
        const Vector y = x - u;
        if (value(y) <= 1e-6 * sampling_.size) continue;
        const double attained = u.dot(y) / value(y);
        report_.expect(std::abs(attained - norm) <= 1e-8 * norm, "dual_norm is attained",
                       "⟨u, y⟩/φ(y) and dual_norm(u)", attained, norm);
      }
    }
  }

  void check_smooth_flow() {
    if constexpr (requires { penalty_.smooth_flow(nullptr, d_, 1.0, nullptr, nullptr); }) {
      for (const auto& v : points_) {
        GuardedMemory scratch(d_);
        Vector u(d_);
        penalty_.smooth_flow(v.data(), d_, 0.7, u.data(), scratch.data());
        const double gap = fenchel_young(v, u, 0.7);
        report_.expect(scratch.intact() && gap <= 1e-10 * value(v), "smooth_flow is κ∇φ", "fenchel_young there", gap);
      }
    }
  }

  void check_zero_weight() {
    for (const auto& x : points_) {
      const Vector u = dual_update(x, 0, 1);
      report_.expect(u.norm() <= kRounding * x.norm(), "no flow runs over an edge without weight", "‖u‖ =", u.norm());
      const double gap = fenchel_young(x, Vector::Zero(d_), 0);
      report_.expect(gap == 0, "an edge without weight costs nothing", "fenchel_young is", gap);
    }
  }

  const PenaltyType& penalty_;
  PropertySampling sampling_;
  Rng rng_;
  Index d_;
  double kappa_ = 1;
  double sigma_ = 1;
  std::vector<Vector> points_;
  PropertyReport report_;
};

/// The promises of a penalty that do not hold for vectors of this dimension, in words; empty if all hold. Takes a
/// Penalty or one of its alternatives.
template <class PenaltyType>
[[nodiscard]] std::vector<std::string> violated_penalty_properties(const PenaltyType& penalty, Index dimension,
                                                                   const PropertySampling& sampling = {}) {
  return PenaltyProperties<PenaltyType>(penalty, dimension, sampling).violated();
}
[[nodiscard]] inline std::vector<std::string> violated_penalty_properties(const Penalty& penalty, Index dimension,
                                                                          const PropertySampling& sampling = {}) {
  return std::visit([&](const auto& p) { return violated_penalty_properties(p, dimension, sampling); }, penalty);
}

template <class PenaltyType>
[[nodiscard]] ::testing::AssertionResult penalty_properties_hold(const PenaltyType& penalty, Index dimension,
                                                                 const PropertySampling& sampling = {}) {
  const auto violated = violated_penalty_properties(penalty, dimension, sampling);
  if (violated.empty()) return ::testing::AssertionSuccess();
  auto failure = ::testing::AssertionFailure();
  for (const auto& property : violated) failure << "\n  " << property;
  return failure;
}

}  // namespace gtvmin
