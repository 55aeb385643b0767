#include "gtvmin/loss/absolute_loss.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

namespace gtvmin {
namespace {

using Map = Eigen::Map<Vector>;
using MatrixMap = Eigen::Map<Matrix>;

constexpr Index kVectorsOfSamples = 8;
constexpr Index kVectorsOfParameters = 4;

/// The quadratic program behind the prox. Its variables are the a_r; z and the residuals r = Xᵀz − y follow from them.
/// λ⁺ and λ⁻ are the multipliers of a ≤ s and a ≥ −s; at the solution r = λ⁺ − λ⁻, and λ⁺(s − a) = λ⁻(s + a) = 0.
class BoxProgram {
 public:
  BoxProgram(const Matrix& x, const Vector& y, double s, ConstVectorRef v, double rho, const Vector& ridge,
             double* memory)
      : x_(x),
        y_(y),
        s_(s),
        v_(v),
        rho_(rho),
        a_(take(memory, y.size())),
        above_(take(memory, y.size())),
        below_(take(memory, y.size())),
        r_(take(memory, y.size())),
        change_(take(memory, y.size())),
        stiffness_(take(memory, y.size())),
        target_(take(memory, y.size())),
        best_a_(take(memory, y.size())),
        z_(take(memory, x.rows())),
        step_(take(memory, x.rows())),
        rhs_(take(memory, x.rows())),
        metric_(take(memory, x.rows())),
        system_(memory, x.rows(), x.rows()) {
    metric_ = 2 * ridge;
    metric_.array() += rho;
  }

  /// Leaves the prox in z, with Σ (s|r| − ar), by which it misses the optimum, at most `enough` if arithmetic allows.
  void solve(double enough, VectorRef z) {
    a_.setZero();
    move();
    const double usual = std::max(r_.cwiseAbs().mean(), std::numeric_limits<double>::min());
    above_ = r_.cwiseMax(0).array() + usual;
    below_ = (-r_).cwiseMax(0).array() + usual;
    best_a_ = a_;
    double best = gap();
    constexpr int kMostSteps = 50;
    for (int k = 0; k < kMostSteps && best > enough; ++k) {
      newton_step();
      const double now = gap();
      if (!std::isfinite(now)) break;
      if (now < best) {
        best = now;
        best_a_ = a_;
      } else if (k > 10 && now > 10 * best) {
        break;
      }
    }
    a_ = best_a_;
    move();
    finish_on_fitted_samples(best);
    z = z_;
  }

 private:
  static Map take(double*& memory, Index size) {
    Map part(memory, size);
    memory += size;
    return part;
  }

  /// z and r of the present a.
  void move() {
    z_ = (rho_ * v_ - x_ * a_).cwiseQuotient(metric_);
    r_.noalias() = x_.transpose() * z_;
    r_ -= y_;
  }

  [[nodiscard]] double gap() const { return (s_ * r_.cwiseAbs() - a_.cwiseProduct(r_)).sum(); }
  [[nodiscard]] double complementarity(double length) const {
    double sum = 0;
    for (Index k = 0; k < a_.size(); ++k) {
      const double a = a_[k] + length * change_[k];
      sum += (s_ - a) * (above_[k] + length * above_change(k)) + (s_ + a) * (below_[k] + length * below_change(k));
    }
    return sum / (2 * static_cast<double>(a_.size()));
  }
  [[nodiscard]] double above_change(Index k) const {
    return (target_[k] + above_[k] * change_[k]) / (s_ - a_[k]) - above_[k];
  }
  [[nodiscard]] double below_change(Index k) const {
    return (target_[k] - below_[k] * change_[k]) / (s_ + a_[k]) - below_[k];
  }

  /// A predictor towards complementarity 0 says how much of it a centred step should leave.
  void newton_step() {
    stiffness_ = above_.array() / (s_ - a_.array()) + below_.array() / (s_ + a_.array());
    system_.setZero();
    for (Index k = 0; k < a_.size(); ++k) {
      system_.selfadjointView<Eigen::Lower>().rankUpdate(x_.col(k), 1 / stiffness_[k]);
    }
    system_.diagonal() += metric_;
    const Eigen::LLT<Eigen::Ref<Matrix>> factor(system_);
    change_.setZero();
    target_.setZero();
    const double mu = complementarity(0);
    direction(factor);
    const double predicted = complementarity(longest_step());
    const double centring = std::pow(std::clamp(predicted / mu, 0.0, 1.0), 3);
    target_.setConstant(centring * mu);
    direction(factor);
    const double length = std::min(1.0, 0.995 * longest_step());
    for (Index k = 0; k < a_.size(); ++k) {
      const double above = above_[k] + length * above_change(k);
      const double below = below_[k] + length * below_change(k);
      above_[k] = above;
      below_[k] = below;
      a_[k] += length * change_[k];
    }
    move();
  }

  void direction(const Eigen::LLT<Eigen::Ref<Matrix>>& factor) {
    // b = r − t/(s − a) + t/(s + a);  (D + X h⁻¹ Xᵀ)Δz = −X(b/h);  Δa = (b + XᵀΔz)/h.
    change_ = r_.array() - target_.array() / (s_ - a_.array()) + target_.array() / (s_ + a_.array());
    rhs_.noalias() = x_ * change_.cwiseQuotient(stiffness_);
    step_ = -rhs_;
    factor.solveInPlace(step_);
    change_.noalias() += x_.transpose() * step_;
    change_ = change_.cwiseQuotient(stiffness_);
  }

  [[nodiscard]] double longest_step() const {
    double length = 1 / 0.995;
    const auto limit = [&](double room, double change) {
      if (change < 0) length = std::min(length, -room / change);
    };
    for (Index k = 0; k < a_.size(); ++k) {
      limit(s_ - a_[k], -change_[k]);
      limit(s_ + a_[k], change_[k]);
      limit(above_[k], above_change(k));
      limit(below_[k], below_change(k));
    }
    return length;
  }

  /// Takes the samples with a inside the box as fitted exactly and the others at its ends, and keeps the outcome if it
  /// is a better solution.
  void finish_on_fitted_samples(double gap_before) {
    const auto fitted = [&](Index k) { return std::abs(best_a_[k]) < (1 - 1e-5) * s_; };
    Index count = 0;
    for (Index k = 0; k < a_.size(); ++k) count += fitted(k) ? 1 : 0;
    if (count > z_.size()) return;
    for (Index k = 0; k < a_.size(); ++k) a_[k] = fitted(k) ? 0 : std::copysign(s_, best_a_[k]);
    move();
    // (X_Aᵀ D⁻¹ X_A) a_A = r_A, the residuals with a_A = 0; positions of A are kept in target_.
    Index next = 0;
    for (Index k = 0; k < a_.size(); ++k) {
      if (fitted(k)) target_[next++] = static_cast<double>(k);
    }
    const auto sample = [&](Index k) { return static_cast<Index>(target_[k]); };
    auto block = system_.topLeftCorner(count, count);
    for (Index i = 0; i < count; ++i) {
      change_[i] = r_[sample(i)];
      for (Index j = 0; j <= i; ++j) {
        block(i, j) = x_.col(sample(i)).dot(x_.col(sample(j)).cwiseQuotient(metric_));
      }
    }
    if (count > 0) {
      const Eigen::LLT<Eigen::Ref<Matrix>> factor(block);
      auto solution = change_.head(count);
      if (factor.info() == Eigen::Success) factor.solveInPlace(solution);
      for (Index i = 0; i < count; ++i) a_[sample(i)] = std::clamp(solution[i], -s_, s_);
      move();
    }
    if (gap() <= gap_before) return;
    a_ = best_a_;
    move();
  }

  const Matrix& x_;
  const Vector& y_;
  double s_;
  ConstVectorRef v_;
  double rho_;
  Map a_;
  Map above_;  // λ⁺
  Map below_;  // λ⁻
  Map r_;
  Map change_;
  Map stiffness_;
  Map target_;
  Map best_a_;
  Map z_;
  Map step_;
  Map rhs_;
  Map metric_;  // ρ + 2 ridge
  MatrixMap system_;
};

}  // namespace

AbsoluteLoss::AbsoluteLoss(ConstMatrixRef features, ConstVectorRef labels, double scale, ConstVectorRef ridge)
    : features_(features), labels_(labels), scale_(scale), ridge_(ridge) {
  form_ = {.link = Link::kAbsolute,
           .dimension = features_.rows(),
           .samples = features_.cols(),
           .features = features_.data(),
           .labels = labels_.data(),
           .weight = scale_,
           .stiffness = ridge_.isZero(0) ? nullptr : ridge_.data()};
}

LossPtr AbsoluteLoss::make(ConstMatrixRef features, ConstVectorRef labels, double scale, ConstVectorRef ridge) {
  return LossPtr(new AbsoluteLoss(features, labels, scale, ridge));
}

double AbsoluteLoss::value(ConstVectorRef w) const {
  double sum = 0;
  for (Index r = 0; r < labels_.size(); ++r) sum += std::abs(features_.col(r).dot(w) - labels_[r]);
  return scale_ * sum + ridge_.cwiseProduct(w).dot(w);
}

void AbsoluteLoss::gradient(ConstVectorRef w, VectorRef g) const {
  g = 2 * ridge_.cwiseProduct(w);
  for (Index r = 0; r < labels_.size(); ++r) {
    const double residual = features_.col(r).dot(w) - labels_[r];
    if (residual != 0) g += std::copysign(scale_, residual) * features_.col(r);
  }
}

Index AbsoluteLoss::scratch_size() const {
  const Index d = dimension();
  return kVectorsOfSamples * labels_.size() + kVectorsOfParameters * d + d * d;
}

// ‖z − prox‖² ≤ 2 · gap/ρ, and a gradient of length t belongs to a distance of at most t/ρ.
void AbsoluteLoss::prox(ConstVectorRef v, double rho, double tolerance, VectorRef z, VectorRef scratch) const {
  const double rounding = 1e-15 * (value(v) + scale_ * labels_.cwiseAbs().sum());
  const double enough = std::max(tolerance * tolerance / (2 * rho), rounding);
  BoxProgram(features_, labels_, scale_, v, rho, ridge_, scratch.data()).solve(enough, z);
}

}  // namespace gtvmin
