#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "gtvmin/base/types.h"

namespace gtvmin {

/// The loss ℓ(z; y) of one sample in its score z = xᵀw.
enum class Link {
  kSquared,   ///< (z − y)²
  kAbsolute,  ///< |z − y|
  kHuber,     ///< r² for |r| = |z − y| ≤ δ, 2δ|r| − δ² beyond
  kLogistic,  ///< log(1 + exp(−yz)), y ∈ {−1, 1}
  kPoisson    ///< exp(z) − yz + y log y − y
};

/// A local loss as a sum over samples, in all parameters of its node, private ones included:
///     L(w) = weight Σ_r ℓ(x_rᵀw; y_r) + Σ_j stiffness_j (w_j − centre_j)² + constant.
/// The numbers are the data as they were read: values, gradients and conjugates are evaluated from them, so that no
/// statement about the optimum rests on a factorisation.
struct SampleForm {
  Link link = Link::kSquared;
  double delta = 0;  // δ of Link::kHuber
  Index dimension = 0;
  Index samples = 0;
  const double* features = nullptr;  // dimension × samples, column-major
  const double* labels = nullptr;
  double weight = 1;
  const double* stiffness = nullptr;  // null: no quadratic term
  const double* centre = nullptr;     // null: 0
  double constant = 0;
  std::span<const Index> coupled = {};  // positions of the coupled parameters; empty: all are

  [[nodiscard]] const double* x(Index r) const { return features + r * dimension; }
  [[nodiscard]] double stiffness_at(Index j) const { return stiffness == nullptr ? 0 : stiffness[j]; }
  [[nodiscard]] double centre_at(Index j) const { return centre == nullptr ? 0 : centre[j]; }
};

/// Up to which |p| the conjugate ℓ*(p) is finite (absolute and Huber); +∞ for the other links.
[[nodiscard]] inline double slope_limit(const SampleForm& form) {
  switch (form.link) {
    case Link::kAbsolute:
      return 1;
    case Link::kHuber:
      return 2 * form.delta;
    default:
      return std::numeric_limits<double>::infinity();
  }
}

/// The slope nearest to p with a finite conjugate.
[[nodiscard]] inline double clip_slope(const SampleForm& form, double label, double p) {
  switch (form.link) {
    case Link::kSquared:
      return p;
    case Link::kAbsolute:
    case Link::kHuber: {
      const double limit = slope_limit(form);
      return std::clamp(p, -limit, limit);
    }
    case Link::kLogistic:
      return label > 0 ? std::clamp(p, -1.0, 0.0) : std::clamp(p, 0.0, 1.0);
    case Link::kPoisson:
      return std::max(p, -label);
  }
  return p;
}

/// ℓ(z; y).
template <class Real>
[[nodiscard]] Real link_value(const SampleForm& form, double label, Real z) {
  switch (form.link) {
    case Link::kSquared:
      return (z - label) * (z - label);
    case Link::kAbsolute:
      return std::abs(z - label);
    case Link::kHuber: {
      const Real r = std::abs(z - label);
      return r <= form.delta ? r * r : form.delta * (2 * r - form.delta);
    }
    case Link::kLogistic: {
      const Real t = -label * z;
      return t > 0 ? t + std::log1p(std::exp(-t)) : std::log1p(std::exp(t));
    }
    case Link::kPoisson: {
      if (label == 0) return std::exp(z);
      const Real off = z - std::log(static_cast<Real>(label));
      return std::max<Real>(0, label * (std::expm1(off) - off));
    }
  }
  return 0;
}

/// ℓ'(z), any subgradient at a kink.
template <class Real>
[[nodiscard]] Real link_slope(const SampleForm& form, double label, Real z) {
  switch (form.link) {
    case Link::kSquared:
      return 2 * (z - label);
    case Link::kAbsolute:
      return z > label ? 1 : z < label ? -1 : 0;
    case Link::kHuber:
      return 2 * std::clamp<Real>(z - label, -form.delta, form.delta);
    case Link::kLogistic:
      return -label / (1 + std::exp(label * z));
    case Link::kPoisson:
      return std::exp(z) - label;
  }
  return 0;
}

/// ℓ''(z); 0 where it does not exist.
[[nodiscard]] inline double link_curvature(const SampleForm& form, double label, double z) {
  switch (form.link) {
    case Link::kSquared:
      return 2;
    case Link::kAbsolute:
      return 0;
    case Link::kHuber:
      return std::abs(z - label) <= form.delta ? 2 : 0;
    case Link::kLogistic: {
      const double s = 1 / (1 + std::exp(-std::abs(z)));
      return s * (1 - s);
    }
    case Link::kPoisson:
      return std::exp(z);
  }
  return 0;
}

/// ℓ(z) + ℓ*(p) − pz ≥ 0 for a slope within its limits, written without cancellation of large terms; 0 if p = ℓ'(z).
template <class Real>
[[nodiscard]] Real link_bracket(const SampleForm& form, double label, Real z, Real p) {
  switch (form.link) {
    case Link::kSquared: {
      const Real off = z - label - p / 2;
      return off * off;
    }
    case Link::kAbsolute: {
      const Real r = z - label;
      return std::abs(r) * (r > 0 ? 1 - p : 1 + p);
    }
    case Link::kHuber: {
      const Real r = z - label;
      const Real delta = form.delta;
      if (std::abs(r) <= delta) return (r - p / 2) * (r - p / 2);
      const Real along = r > 0 ? p : -p;
      return (2 * delta - along) * (std::abs(r) - delta / 2 - along / 4);
    }
    case Link::kLogistic: {
      // The relative entropy of the probability a = −yp to that of the score.
      const Real t = -label * z;
      const Real a = -label * p;
      Real sum = t > 0 ? std::log1p(std::exp(-t)) + (1 - a) * t : std::log1p(std::exp(t)) - a * t;
      if (a > 0) sum += a * std::log(a);
      if (a < 1) sum += (1 - a) * std::log1p(-a);
      return std::max<Real>(0, sum);
    }
    case Link::kPoisson: {
      const Real rate = std::exp(z);
      const Real b = p + label;
      if (!(b > 0)) return rate;
      const Real change = (b - rate) / rate;
      // Far below the rate, 1 + change has lost b.
      if (change < Real{-0.5}) return rate - b + b * (std::log(b) - z);
      return rate * std::max<Real>(0, (1 + change) * std::log1p(change) - change);
    }
  }
  return 0;
}

/// Where ℓ(z) + ℓ*(p) − pz ≤ t implies |z − z₀| ≤ offset + growth · t for every t ≥ 0: what a bound on the objective
/// says about a score. `typical` is the t at which the estimate should be sharp. Growth is +∞ where nothing follows.
struct ScoreReach {
  double offset = 0;
  double growth = 0;
};
[[nodiscard]] inline ScoreReach score_reach(const SampleForm& form, double label, double p, double z0, double typical) {
  // √t ≤ (t/s + s)/2 for every s > 0.
  const double root = std::max(std::sqrt(typical), std::numeric_limits<double>::min());
  switch (form.link) {
    case Link::kSquared:
      return {std::abs(z0 - label - p / 2) + root / 2, 1 / (2 * root)};
    case Link::kAbsolute:
      return {std::abs(z0 - label), 1 / (1 - std::abs(p))};
    case Link::kHuber:
      return {std::abs(z0 - label) + form.delta, 1 / (2 * form.delta - std::abs(p))};
    case Link::kLogistic: {
      const double a = -label * p;
      const double slack = std::min(a, 1 - a);
      return {std::abs(z0) + std::log(2.0) / slack, 1 / slack};
    }
    case Link::kPoisson: {
      const double b = p + label;
      // Left of 0 the bracket grows with slope b; right of it exp(z) lies above its tangent with slope b + 1.
      const double left = 1 - std::log(b);
      const double right = b - b * std::log(b) - (b + 1) * (1 - std::log(b + 1));
      return {std::abs(z0) + std::max({left, right, 0.0}), std::max(1 / b, 1.0)};
    }
  }
  return {0, std::numeric_limits<double>::infinity()};
}

/// xᵀw in extended precision.
[[nodiscard]] inline long double sample_score(const double* x, const double* w, Index d) {
  long double sum = 0;
  for (Index j = 0; j < d; ++j) sum += static_cast<long double>(x[j]) * w[j];
  return sum;
}

/// L(w), w in all parameters of the node.
[[nodiscard]] inline long double sample_loss(const SampleForm& form, const double* w) {
  long double sum = 0;
  for (Index r = 0; r < form.samples; ++r) {
    sum += link_value<long double>(form, form.labels[r], sample_score(form.x(r), w, form.dimension));
  }
  sum = form.samples > 0 ? sum * form.weight : 0;
  if (form.stiffness != nullptr) {
    for (Index j = 0; j < form.dimension; ++j) {
      const long double off = static_cast<long double>(w[j]) - form.centre_at(j);
      sum += form.stiffness[j] * off * off;
    }
  }
  return sum + form.constant;
}

}  // namespace gtvmin
