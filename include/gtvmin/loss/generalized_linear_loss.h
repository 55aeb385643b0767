#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "gtvmin/loss/local_loss.h"

namespace gtvmin {

// A link is the loss ℓ(η; y) of one sample in its score η = xᵀw: value, slope ℓ', curvature ℓ'', and the divergence
// ℓ(η) + ℓ*(t) − tη ≥ 0 of the slope t = θ(ℓ' + ℓ''·move) from the score η (+∞ where ℓ*(t) is).

/// log(1 + exp(−yη)), labels y ∈ {−1, 1}. Written in probabilities its divergence is the relative entropy.
struct LogisticLink {
  static constexpr bool kBoundsSteps = true;
  static constexpr Link kLink = Link::kLogistic;

  static double value(double score, double label) { return log1p_exp(-label * score); }
  static double slope(double score, double label) { return -label * sigmoid(-label * score); }
  static double curvature(double score, double /*label*/) { return sigmoid(score) * sigmoid(-score); }
  static double divergence(double score, double label, double move, double theta) {
    const double b = -label * theta * (slope(score, label) + curvature(score, label) * move);
    if (!(b >= 0 && b <= 1)) return std::numeric_limits<double>::infinity();
    double sum = 0;
    if (b > 0) sum += b * std::log(b / sigmoid(-label * score));
    if (b < 1) sum += (1 - b) * std::log((1 - b) / sigmoid(label * score));
    return std::max(0.0, sum);
  }

  static double log1p_exp(double t) { return t > 0 ? t + std::log1p(std::exp(-t)) : std::log1p(std::exp(t)); }
  static double sigmoid(double t) { return t >= 0 ? 1 / (1 + std::exp(-t)) : std::exp(t) / (1 + std::exp(t)); }
};

/// exp(η) − yη + y log y − y, counts y: half the deviance, least and 0 at η = log y.
struct PoissonLink {
  static constexpr bool kBoundsSteps = true;
  static constexpr Link kLink = Link::kPoisson;

  static double value(double score, double count) {
    if (count == 0) return std::exp(score);
    const double off = score - std::log(count);
    return std::max(0.0, count * (std::expm1(off) - off));
  }
  static double slope(double score, double count) { return std::exp(score) - count; }
  static double curvature(double score, double /*count*/) { return std::exp(score); }
  /// With the rate a = exp(η) it is a((1 + δ)log(1 + δ) − δ), where a(1 + δ) = t + y.
  static double divergence(double score, double count, double move, double theta) {
    const double rate = std::exp(score);
    const double delta = theta * move - (theta == 1 ? 0 : (1 - theta) * (rate - count) / rate);
    if (!(delta >= -1)) return std::numeric_limits<double>::infinity();
    return delta == -1 ? rate : rate * std::max(0.0, (1 + delta) * std::log1p(delta) - delta);
  }
};

/// r² for |r| ≤ δ and 2δ|r| − δ² beyond, r = η − y: as the squared loss near the label, as the absolute one far away.
struct HuberLink {
  // A sample near the bend has ℓ* = +∞ for slopes next to its own.
  static constexpr bool kBoundsSteps = false;
  static constexpr Link kLink = Link::kHuber;

  double delta = 1;

  [[nodiscard]] double value(double score, double label) const {
    const double r = std::abs(score - label);
    return r <= delta ? r * r : delta * (2 * r - delta);
  }
  [[nodiscard]] double slope(double score, double label) const { return 2 * std::clamp(score - label, -delta, delta); }
  [[nodiscard]] double curvature(double score, double label) const { return std::abs(score - label) <= delta ? 2 : 0; }
  [[nodiscard]] double divergence(double score, double label, double move, double theta) const {
    const double t = theta * (slope(score, label) + curvature(score, label) * move);
    if (!(std::abs(t) <= 2 * delta)) return std::numeric_limits<double>::infinity();
    return std::max(0.0, value(score, label) + t * t / 4 - t * (score - label));
  }
};

/// L(w) = scale · Σ_r ℓ(x_rᵀw; y_r) + Σ_j ridge_j w_j², ℓ given by a link.
///
/// The prox is an inner Newton method that stops at the tolerance it is given. The conjugate is known through the
/// slopes t_r of the samples: any t with scale · Σ_r t_r x_r (+ the ridge's part) = y bounds L*(y).
template <class LinkType>
class GeneralizedLinearLoss final : public LocalLoss {
 public:
  /// x_r are the columns of `features`; at least one.
  static LossPtr make(ConstMatrixRef features, ConstVectorRef labels, double scale, ConstVectorRef ridge,
                      LinkType link = {});

  [[nodiscard]] Index dimension() const override { return features_.rows(); }
  [[nodiscard]] double value(ConstVectorRef w) const override;
  void gradient(ConstVectorRef w, VectorRef g) const override;
  void prox(ConstVectorRef v, double rho, double tolerance, VectorRef z, VectorRef scratch) const override;
  [[nodiscard]] Index scratch_size() const override { return dimension() * (dimension() + 3); }
  [[nodiscard]] double lower_bound() const override { return 0; }
  [[nodiscard]] bool has_hessian() const override { return true; }
  [[nodiscard]] bool bounds_hessian_steps() const override { return LinkType::kBoundsSteps; }
  void add_hessian(ConstVectorRef w, MatrixRef hessian) const override;
  void solve_hessian(ConstVectorRef w, ConstVectorRef r, VectorRef out) const override;
  [[nodiscard]] double fenchel_young_bound(ConstVectorRef w, ConstVectorRef p, double theta) const override;
  [[nodiscard]] const SampleForm* sample_form() const override { return &form_; }

 private:
  GeneralizedLinearLoss(ConstMatrixRef features, ConstVectorRef labels, double scale, ConstVectorRef ridge,
                        LinkType link);

  Matrix features_;  // d × m
  Vector labels_;
  double scale_;
  Vector ridge_;
  LinkType link_;
  SampleForm form_;
};

using LogisticLoss = GeneralizedLinearLoss<LogisticLink>;
using PoissonLoss = GeneralizedLinearLoss<PoissonLink>;
using HuberLoss = GeneralizedLinearLoss<HuberLink>;

}  // namespace gtvmin
