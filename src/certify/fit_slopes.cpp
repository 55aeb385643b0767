#include "gtvmin/certify/fit_slopes.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "gtvmin/loss/smoothed_kinks.h"

namespace gtvmin {
namespace {

/// Newton's method on L + ⟨s, ·⟩ from w, with the smoothing of kinks reduced from step to step.
class SlopeFit {
 public:
  SlopeFit(const SampleForm& form, const double* w, const Vector& s)
      : form_(form), start_(Eigen::Map<const Vector>(w, form.dimension)), s_(s), w_(start_), p_(form.samples) {}

  void run(double* best_p, double* best_q) {
    const Index d = form_.dimension;
    const bool kink = has_kink(form_);
    Vector residual(form_.samples);
    double delta = 0;
    for (Index r = 0; r < form_.samples; ++r) {
      const double z = score(r);
      residual[r] = std::abs(z - form_.labels[r]);
      p_[r] = kink ? clip_slope(form_, form_.labels[r], link_slope<double>(form_, form_.labels[r], z)) * 0.9 : 0;
    }
    if (kink) delta = std::max(residual.maxCoeff(), std::numeric_limits<double>::min()) / 10;
    const int most = kink ? kStepsWithKinks : kSmoothSteps;
    double least = std::numeric_limits<double>::infinity();
    Vector next(form_.samples);
    for (int k = 0; k < most; ++k) {
      const Vector dw = step(delta, next);
      if (!dw.allFinite()) break;
      Vector clipped = next;
      for (Index r = 0; r < form_.samples; ++r) clipped[r] = clip_slope(form_, form_.labels[r], next[r]);
      const Vector q = 2 * (w_ + dw);
      const double cost = price(clipped, q);
      if (cost < least) {
        least = cost;
        std::copy_n(clipped.data(), form_.samples, best_p);
        if (form_.stiffness != nullptr) {
          for (Index j = 0; j < d; ++j) best_q[j] = q[j] - 2 * form_.centre_at(j);
        }
      }
      // Beyond the domain of a slope the step is too long for the curvature it was computed with.
      double length = 1;
      for (Index r = 0; r < form_.samples; ++r) {
        const double excess = std::abs(next[r] - clipped[r]);
        if (excess > 0.1 * (std::abs(clipped[r]) + excess)) length = std::min(length, 0.5);
      }
      w_ += length * dw;
      if (kink) {
        for (Index r = 0; r < form_.samples; ++r) p_[r] = (1 - 1e-9) * clipped[r];
        delta *= length == 1 ? 0.2 : 0.7;
      } else if (dw.norm() <= 1e-14 * w_.norm()) {
        break;
      }
    }
    if (std::isfinite(least)) return;
    for (Index r = 0; r < form_.samples; ++r) {
      best_p[r] = clip_slope(form_, form_.labels[r], link_slope<double>(form_, form_.labels[r], start_score(r)));
    }
    if (form_.stiffness != nullptr) {
      for (Index j = 0; j < d; ++j) best_q[j] = 2 * (start_[j] - form_.centre_at(j));
    }
  }

 private:
  static constexpr int kStepsWithKinks = 18;
  static constexpr int kSmoothSteps = 3;

  [[nodiscard]] double score(Index r) const { return Eigen::Map<const Vector>(form_.x(r), form_.dimension).dot(w_); }
  [[nodiscard]] double start_score(Index r) const {
    return Eigen::Map<const Vector>(form_.x(r), form_.dimension).dot(start_);
  }

  /// The Newton step at w, and the slopes it leads to.
  Vector step(double delta, Vector& next) {
    const Index d = form_.dimension;
    Matrix hessian = Matrix::Zero(d, d);
    Vector gradient = s_;
    std::vector<SmoothedSample> samples(form_.samples);
    for (Index r = 0; r < form_.samples; ++r) {
      const Eigen::Map<const Vector> x(form_.x(r), d);
      samples[r] = smoothed_sample(form_, form_.labels[r], score(r), p_[r], delta);
      gradient += form_.weight * samples[r].slope * x;
      hessian.selfadjointView<Eigen::Lower>().rankUpdate(x, form_.weight * samples[r].curvature);
    }
    for (Index j = 0; j < d && form_.stiffness != nullptr; ++j) {
      gradient[j] += 2 * form_.stiffness[j] * (w_[j] - form_.centre_at(j));
      hessian(j, j) += 2 * form_.stiffness[j];
    }
    // Scaled to unit diagonal, so that units do not decide what counts as flat.
    Vector scale = hessian.diagonal().cwiseSqrt();
    for (Index j = 0; j < d; ++j) scale[j] = scale[j] > 0 ? 1 / scale[j] : 0;
    Matrix scaled = scale.asDiagonal() * Matrix(hessian.selfadjointView<Eigen::Lower>()) * scale.asDiagonal();
    scaled.diagonal().array() += kFlat;
    const Eigen::LDLT<Matrix> factor(scaled);
    const auto solve = [&](const Vector& rhs) -> Vector {
      return scale.cwiseProduct(Vector(factor.solve(Vector(scale.cwiseProduct(rhs)))));
    };
    Vector dw = solve(-gradient);
    dw += solve(-gradient - Vector(hessian.selfadjointView<Eigen::Lower>() * dw));
    for (Index r = 0; r < form_.samples; ++r) {
      const Eigen::Map<const Vector> x(form_.x(r), d);
      next[r] = samples[r].slope + samples[r].curvature * x.dot(dw);
    }
    return dw;
  }

  /// Gap at the start plus what the slopes leave over, times the size of w.
  [[nodiscard]] double price(const Vector& p, const Vector& twice_w) const {
    const Index d = form_.dimension;
    double sum = 0;
    Vector left = s_;
    for (Index r = 0; r < form_.samples; ++r) {
      sum += form_.weight * link_bracket<double>(form_, form_.labels[r], start_score(r), p[r]);
      left += form_.weight * p[r] * Eigen::Map<const Vector>(form_.x(r), d);
    }
    for (Index j = 0; j < d && form_.stiffness != nullptr; ++j) {
      const double off = start_[j] - twice_w[j] / 2;
      sum += form_.stiffness[j] * off * off;
      left[j] += form_.stiffness[j] * (twice_w[j] - 2 * form_.centre_at(j));
    }
    return sum + left.cwiseAbs().dot(start_.cwiseAbs());
  }

  /// Relative curvature below which a direction counts as flat.
  static constexpr double kFlat = 1e-13;

  const SampleForm& form_;
  Vector start_;
  const Vector& s_;
  Vector w_;
  Vector p_;
};

}  // namespace

void fit_slopes(const SampleForm& form, const double* w, const Vector& s, double* p, double* q) {
  if (form.samples == 0 && form.stiffness != nullptr) {  // quadratic terms alone answer s by themselves
    for (Index j = 0; j < form.dimension; ++j) q[j] = form.stiffness[j] > 0 ? -s[j] / form.stiffness[j] : 0;
    return;
  }
  SlopeFit(form, w, s).run(p, q);
}

DualPoint fit_dual(const SampleProblem& problem, const Matrix& w, Matrix u, ThreadTeam& team) {
  constexpr Index kFitsOfChunk = 16;
  const Index all = problem.dimension();
  DualPoint dual{std::move(u), Vector(problem.samples()), Matrix(), {}, {}, {}};
  if (problem.has_stiffness()) dual.q = Matrix::Zero(all, problem.nodes());
  team.run(problem.nodes(), kFitsOfChunk, [&](int /*worker*/, Index begin, Index end) {
    Vector s(all);
    Vector unused(all);
    for (auto i = static_cast<NodeId>(begin); i < end; ++i) {
      const SampleForm& form = problem.form(i);
      s.setZero();
      for (const auto& [e, neighbour, sign] : problem.graph().incident(i)) {
        for (Index k = 0; k < problem.coupled_dimension(); ++k) s[problem.coupled(k)] += sign * dual.u(k, e);
      }
      if (form.samples == 0 && form.stiffness == nullptr) continue;
      double* q = form.stiffness != nullptr ? dual.q.data() + i * all : unused.data();
      fit_slopes(form, w.data() + i * all, s, dual.p.data() + problem.first_sample(i), q);
    }
  });
  return dual;
}

}  // namespace gtvmin
