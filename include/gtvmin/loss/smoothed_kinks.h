#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "gtvmin/base/types.h"
#include "gtvmin/loss/sample_form.h"

namespace gtvmin {

/// A sample's loss with its kink smoothed by `delta`: value, slope and primal-dual curvature at score z.
struct SmoothedSample {
  double value = 0;
  double slope = 0;
  double curvature = 0;
};

/// The minimiser a of (r − a)² + 2δ√(a² + s²), by Newton's method on a + δa/√(a² + s²) = r.
inline double huber_split(double r, double delta, double s) {
  const double size = std::abs(r);
  double low = 0;
  double high = size;
  double a = std::max(size - delta, size * s / (s + delta));
  constexpr int kMostSteps = 60;
  for (int k = 0; k < kMostSteps; ++k) {
    const double eta = std::hypot(a, s);
    const double miss = a + delta * a / eta - size;
    if (miss > 0) high = a;
    if (miss < 0) low = a;
    const double slope = 1 + delta * (s / eta) * (s / eta) / eta;
    double next = a - miss / slope;
    if (!(next > low && next < high)) next = low + (high - low) / 2;
    if (std::abs(next - a) <= 4e-16 * size) break;
    a = next;
  }
  return std::copysign(a, r);
}

[[nodiscard]] inline double smoothed_value(const SampleForm& form, double label, double z, double delta) {
  switch (form.link) {
    case Link::kAbsolute:
      return std::hypot(z - label, delta);
    case Link::kHuber: {
      const double r = z - label;
      const double a = huber_split(r, form.delta, delta);
      return (r - a) * (r - a) + 2 * form.delta * std::hypot(a, delta);
    }
    default:
      return link_value<double>(form, label, z);
  }
}

/// `p` is the sample's dual variable; it matters only where there is a kink.
[[nodiscard]] inline SmoothedSample smoothed_sample(const SampleForm& form, double label, double z, double p,
                                                    double delta) {
  switch (form.link) {
    case Link::kAbsolute: {
      const double r = z - label;
      const double eta = std::hypot(r, delta);
      return {eta, r / eta, (1 - p * (r / eta)) / eta};
    }
    case Link::kHuber: {
      const double r = z - label;
      const double a = huber_split(r, form.delta, delta);
      const double eta = std::hypot(a, delta);
      const double limit = 2 * form.delta;
      const double theta = limit / eta * (1 - p / limit * (a / eta));
      return {(r - a) * (r - a) + limit * eta, limit * (a / eta), theta / (theta / 2 + 1)};
    }
    default:
      return {link_value<double>(form, label, z), link_slope<double>(form, label, z), link_curvature(form, label, z)};
  }
}

[[nodiscard]] inline bool has_kink(const SampleForm& form) {
  return form.samples > 0 && (form.link == Link::kAbsolute || form.link == Link::kHuber);
}

/// √(|v|² + ε²), the Euclidean norm. States: u/κ.
struct SmoothedL2 {
  static constexpr Index states(Index d) { return d; }
  static constexpr bool kSmooth = false;
  static constexpr double kErrorOf(Index /*d*/) { return 1; }
  static double length(const double* v, Index d, double epsilon) {
    double sum = epsilon * epsilon;
    for (Index j = 0; j < d; ++j) sum += v[j] * v[j];
    return std::sqrt(sum);
  }
  double value(const double* v, Index d, double kappa, double epsilon) const { return kappa * length(v, d, epsilon); }
  /// û and Θ (d × d, column-major).
  void linearise(const double* v, const double* state, Index d, double kappa, double epsilon, double* flow,
                 double* theta) const {
    const double eta = length(v, d, epsilon);
    for (Index j = 0; j < d; ++j) flow[j] = kappa * (v[j] / eta);
    const double stiffness = kappa / eta;
    for (Index b = 0; b < d; ++b) {
      for (Index a = 0; a < d; ++a) {
        const double bend = (state[a] * (v[b] / eta) + state[b] * (v[a] / eta)) / 2;
        theta[a + b * d] = stiffness * ((a == b ? 1 : 0) - bend);
      }
    }
  }
  /// The state of the full step, then its projection onto the interior of the ball.
  void update(const double* next_flow, const double* /*v*/, const double* /*dv*/, Index d, double kappa,
              double /*epsilon*/, double inside, double* state) const {
    double sum = 0;
    for (Index j = 0; j < d; ++j) {
      state[j] = next_flow[j] / kappa;
      sum += state[j] * state[j];
    }
    const double norm = std::sqrt(sum);
    if (norm > inside) {
      for (Index j = 0; j < d; ++j) state[j] *= inside / norm;
    }
  }
};

/// Σ_j √(v_j² + ε²). States: u/κ.
struct SmoothedL1 {
  static constexpr Index states(Index d) { return d; }
  static constexpr bool kSmooth = false;
  static constexpr double kErrorOf(Index d) { return static_cast<double>(d); }
  double value(const double* v, Index d, double kappa, double epsilon) const {
    double sum = 0;
    for (Index j = 0; j < d; ++j) sum += std::sqrt(v[j] * v[j] + epsilon * epsilon);
    return kappa * sum;
  }
  void linearise(const double* v, const double* state, Index d, double kappa, double epsilon, double* flow,
                 double* theta) const {
    std::fill(theta, theta + d * d, 0);
    for (Index j = 0; j < d; ++j) {
      const double eta = std::sqrt(v[j] * v[j] + epsilon * epsilon);
      flow[j] = kappa * (v[j] / eta);
      theta[j + j * d] = kappa / eta * (1 - state[j] * (v[j] / eta));
    }
  }
  void update(const double* next_flow, const double* /*v*/, const double* /*dv*/, Index d, double kappa,
              double /*epsilon*/, double inside, double* state) const {
    for (Index j = 0; j < d; ++j) state[j] = std::clamp(next_flow[j] / kappa, -inside, inside);
  }
};

/// ‖v‖_∞ = min_t (1 − d)t + ½Σ_a(|t − v_a| + |t + v_a|), every absolute value smoothed. States: the dual variables of
/// |t − v_a|, then those of |t + v_a|.
struct SmoothedLinf {
  static constexpr Index states(Index d) { return 2 * d; }
  static constexpr bool kSmooth = false;
  static constexpr double kErrorOf(Index d) { return static_cast<double>(d); }

  /// The minimising t by safeguarded Newton steps.
  static double level(const double* v, Index d, double epsilon) {
    double largest = 0;
    for (Index a = 0; a < d; ++a) largest = std::max(largest, std::abs(v[a]));
    double low = 0;
    double high = largest + 2 * static_cast<double>(d) * epsilon;
    double t = largest;
    constexpr int kMostSteps = 100;
    for (int k = 0; k < kMostSteps; ++k) {
      double slope = 1 - static_cast<double>(d);
      double bend = 0;
      for (Index a = 0; a < d; ++a) {
        const double q1 = t - v[a];
        const double q2 = t + v[a];
        const double eta1 = std::sqrt(q1 * q1 + epsilon * epsilon);
        const double eta2 = std::sqrt(q2 * q2 + epsilon * epsilon);
        slope += (q1 / eta1 + q2 / eta2) / 2;
        bend += (epsilon / eta1 * (epsilon / eta1) / eta1 + epsilon / eta2 * (epsilon / eta2) / eta2) / 2;
      }
      if (slope > 0) high = t;
      if (slope < 0) low = t;
      if (slope == 0) break;
      double next = t - slope / bend;
      if (!(next > low && next < high)) next = low + (high - low) / 2;
      if (std::abs(next - t) <= 1e-15 * (std::abs(t) + epsilon)) break;
      t = next;
    }
    return t;
  }
  double value(const double* v, Index d, double kappa, double epsilon) const {
    const double t = level(v, d, epsilon);
    // The terms of the sum grow with t, (1 − d)t takes them back: add their differences.
    double sum = t;
    for (Index a = 0; a < d; ++a) {
      const double q1 = t - v[a];
      const double q2 = t + v[a];
      sum += (std::sqrt(q1 * q1 + epsilon * epsilon) + std::sqrt(q2 * q2 + epsilon * epsilon)) / 2 - t;
    }
    return kappa * sum;
  }
  void linearise(const double* v, const double* state, Index d, double kappa, double epsilon, double* flow,
                 double* theta) const {
    const double t = level(v, d, epsilon);
    std::fill(theta, theta + d * d, 0);
    double total = 0;
    for (Index a = 0; a < d; ++a) {
      const auto [theta1, theta2] = curvatures(v, state, d, epsilon, t, a);
      const double q1 = t - v[a];
      const double q2 = t + v[a];
      flow[a] = kappa / 2 * (q2 / std::sqrt(q2 * q2 + epsilon * epsilon) - q1 / std::sqrt(q1 * q1 + epsilon * epsilon));
      theta[a + a * d] = kappa / 2 * (theta1 + theta2);
      total += theta1 + theta2;
    }
    for (Index b = 0; b < d; ++b) {
      const auto [b1, b2] = curvatures(v, state, d, epsilon, t, b);
      for (Index a = 0; a < d; ++a) {
        const auto [a1, a2] = curvatures(v, state, d, epsilon, t, a);
        theta[a + b * d] -= kappa / 2 * ((a1 - a2) / total) * (b1 - b2);
      }
    }
  }
  void update(const double* /*next_flow*/, const double* v, const double* dv, Index d, double /*kappa*/, double epsilon,
              double inside, double* state) const {
    const double t = level(v, d, epsilon);
    double total = 0;
    double along = 0;
    for (Index a = 0; a < d; ++a) {
      const auto [theta1, theta2] = curvatures(v, state, d, epsilon, t, a);
      total += theta1 + theta2;
      along += (theta1 - theta2) * dv[a];
    }
    const double dt = along / total;
    for (Index a = 0; a < d; ++a) {
      const auto [theta1, theta2] = curvatures(v, state, d, epsilon, t, a);
      const double q1 = t - v[a];
      const double q2 = t + v[a];
      const double y1 = q1 / std::sqrt(q1 * q1 + epsilon * epsilon) + theta1 * (dt - dv[a]);
      const double y2 = q2 / std::sqrt(q2 * q2 + epsilon * epsilon) + theta2 * (dt + dv[a]);
      state[a] = std::clamp(y1, -inside, inside);
      state[d + a] = std::clamp(y2, -inside, inside);
    }
  }

 private:
  struct Pair {
    double first;
    double second;
  };
  static Pair curvatures(const double* v, const double* state, Index d, double epsilon, double t, Index a) {
    const double q1 = t - v[a];
    const double q2 = t + v[a];
    const double eta1 = std::sqrt(q1 * q1 + epsilon * epsilon);
    const double eta2 = std::sqrt(q2 * q2 + epsilon * epsilon);
    return {(1 - state[a] * (q1 / eta1)) / eta1, (1 - state[d + a] * (q2 / eta2)) / eta2};
  }
};

}  // namespace gtvmin
