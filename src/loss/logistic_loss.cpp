#include "gtvmin/loss/logistic_loss.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace gtvmin {
namespace {

double log1p_exp(double t) { return t > 0 ? t + std::log1p(std::exp(-t)) : std::log1p(std::exp(t)); }
double sigmoid(double t) { return t >= 0 ? 1 / (1 + std::exp(-t)) : std::exp(t) / (1 + std::exp(t)); }

/// b log(b/a) + (1 − b) log((1 − b)/(1 − a)), +∞ for b outside [0, 1]; a ∈ (0, 1) given with its complement.
double binary_divergence(double b, double a, double one_minus_a) {
  if (!(b >= 0 && b <= 1)) return std::numeric_limits<double>::infinity();
  double sum = 0;
  if (b > 0) sum += b * std::log(b / a);
  if (b < 1) sum += (1 - b) * std::log((1 - b) / one_minus_a);
  return std::max(0.0, sum);
}

}  // namespace

LogisticLoss::LogisticLoss(Matrix signed_features, double scale, Vector ridge)
    : signed_features_(std::move(signed_features)), scale_(scale), ridge_(std::move(ridge)) {}

LossPtr LogisticLoss::make(ConstMatrixRef features, ConstVectorRef labels, double scale, ConstVectorRef ridge) {
  return LossPtr(new LogisticLoss(features * labels.asDiagonal(), scale, ridge));
}

double LogisticLoss::value(ConstVectorRef w) const {
  double sum = 0;
  for (Index r = 0; r < signed_features_.cols(); ++r) sum += log1p_exp(-signed_features_.col(r).dot(w));
  return scale_ * sum + w.cwiseAbs2().dot(ridge_);
}

void LogisticLoss::gradient(ConstVectorRef w, VectorRef g) const {
  const Vector margins = signed_features_.transpose() * w;
  g = signed_features_ * margins.unaryExpr([this](double margin) { return -scale_ * sigmoid(-margin); });
  g += 2 * ridge_.cwiseProduct(w);
}

void LogisticLoss::add_hessian(ConstVectorRef w, MatrixRef hessian) const {
  const Vector margins = signed_features_.transpose() * w;
  const Vector curvature =
      margins.unaryExpr([this](double margin) { return scale_ * sigmoid(margin) * sigmoid(-margin); });
  hessian.noalias() += signed_features_ * curvature.asDiagonal() * signed_features_.transpose();
  hessian.diagonal() += 2 * ridge_;
}

Index LogisticLoss::scratch_size() const {
  const Index d = dimension();
  return d * d + 3 * d + 2 * signed_features_.cols();
}

// Newton's method on L(z) + (ρ/2)‖z − v‖², damped by backtracking. The objective is ρ-strongly convex, so the distance
// to the prox is at most the norm of its gradient over ρ.
void LogisticLoss::prox(ConstVectorRef v, double rho, double tolerance, VectorRef z, VectorRef scratch) const {
  const Index d = dimension();
  const Index m = signed_features_.cols();
  Eigen::Map<Matrix> hessian(scratch.data(), d, d);
  auto gradient = scratch.segment(d * d, d);
  auto step = scratch.segment(d * d + d, d);
  auto trial = scratch.segment(d * d + 2 * d, d);
  auto margins = scratch.segment(d * d + 3 * d, m);
  auto trial_margins = scratch.segment(d * d + 3 * d + m, m);

  const auto objective = [&](const auto& point, const auto& point_margins) {
    double sum = 0;
    for (Index r = 0; r < m; ++r) sum += log1p_exp(-point_margins[r]);
    return scale_ * sum + point.cwiseAbs2().dot(ridge_) + rho / 2 * (point - v).squaredNorm();
  };
  margins.noalias() = signed_features_.transpose() * z;
  double current = objective(z, margins);
  constexpr int kMostSteps = 60;
  for (int iteration = 0; iteration < kMostSteps; ++iteration) {
    gradient = 2 * ridge_.cwiseProduct(z) + rho * (z - v);
    for (Index r = 0; r < m; ++r) gradient -= scale_ * sigmoid(-margins[r]) * signed_features_.col(r);
    const double slope = gradient.norm();
    const double rounding = 8 * std::numeric_limits<double>::epsilon() * (rho * (z.norm() + v.norm()) + scale_);
    if (slope <= std::max(tolerance, rounding)) return;

    hessian.setZero();
    for (Index r = 0; r < m; ++r) {
      const double curvature = scale_ * sigmoid(margins[r]) * sigmoid(-margins[r]);
      hessian.selfadjointView<Eigen::Lower>().rankUpdate(signed_features_.col(r), curvature);
    }
    hessian.diagonal() += 2 * ridge_;
    hessian.diagonal().array() += rho;
    Eigen::LLT<Eigen::Ref<Matrix>> factor(hessian);
    step = gradient;
    factor.solveInPlace(step);
    const double decrease = gradient.dot(step);
    // Where the objective can no longer tell, the full Newton step is as good as arithmetic allows.
    if (decrease <= 1e-13 * std::abs(current)) {
      z -= step;
      return;
    }
    double length = 1;
    for (;; length /= 2) {
      trial = z - length * step;
      trial_margins.noalias() = signed_features_.transpose() * trial;
      const double next = objective(trial, trial_margins);
      if (next <= current - 1e-4 * length * decrease) {
        current = next;
        break;
      }
      if (length < 1e-10) return;
    }
    z = trial;
    margins = trial_margins;
  }
}

void LogisticLoss::solve_hessian(ConstVectorRef w, ConstVectorRef r, VectorRef out) const {
  Matrix hessian = Matrix::Zero(dimension(), dimension());
  add_hessian(w, hessian);
  out = hessian.completeOrthogonalDecomposition().solve(r);
}

// The target y = θ(∇L + ∇²L p) splits into the data's part, whose dual variables are a_r − a_r(1 − a_r)(y_r x_rᵀp)
// times θ, and the ridge's part, which misses by 2 ridge∘q and costs ridge·q².
double LogisticLoss::fenchel_young_bound(ConstVectorRef w, ConstVectorRef p, double theta) const {
  const Vector margins = signed_features_.transpose() * w;
  const Vector moved = signed_features_.transpose() * p;
  double sum = 0;
  for (Index r = 0; r < margins.size(); ++r) {
    const double a = sigmoid(-margins[r]);
    const double complement = sigmoid(margins[r]);
    sum += binary_divergence(theta * (a - a * complement * moved[r]), a, complement);
  }
  const Vector q = (1 - theta) * w - theta * p;
  return scale_ * sum + q.cwiseAbs2().dot(ridge_);
}

}  // namespace gtvmin
