#include "gtvmin/second_order/newton.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include "gtvmin/second_order/block_system.h"

namespace gtvmin {
namespace {

/// hessian += Σ ∇²L_i(w). Quadratic losses come as factors of low rank; products of many columns are much cheaper than
/// many of few.
void add_hessians(const Problem& problem, std::span<const NodeId> nodes, ConstVectorRef w, MatrixRef hessian) {
  constexpr Index kMostColumns = 128;
  const Index d = w.size();
  Index rank = 0;
  for (const NodeId i : nodes) {
    if (const QuadraticForm* form = problem.loss(i).quadratic_form()) rank += form->rank;
  }
  Matrix lower = Matrix::Zero(d, d);
  Matrix columns(d, std::min(rank, kMostColumns));
  Index filled = 0;
  const auto flush = [&] {
    if (filled == 0) return;  // Eigen divides by the number of columns
    lower.selfadjointView<Eigen::Lower>().rankUpdate(columns.leftCols(filled));
    filled = 0;
  };
  for (const NodeId i : nodes) {
    const QuadraticForm* form = problem.loss(i).quadratic_form();
    if (form == nullptr) {
      problem.loss(i).add_hessian(w, hessian);
      continue;
    }
    hessian.diagonal().array() += form->floor;
    for (Index k = 0; k < form->rank; ++k) {
      const Eigen::Map<const Vector> direction(form->basis + k * d, d);
      columns.col(filled++) = std::sqrt(form->eigenvalues[k] - form->floor) * direction;
      if (filled == columns.cols()) flush();
    }
  }
  flush();
  hessian += lower.selfadjointView<Eigen::Lower>();
}

/// The smooth subproblem for fixed (u, σ): value, gradient, curvature.
template <class PenaltyType>
class AugmentedLagrangian {
 public:
  AugmentedLagrangian(const Contraction& contraction, const PenaltyType& penalty, Matrix w, Matrix u)
      : contraction_(contraction),
        penalty_(penalty),
        graph_(contraction.graph()),
        d_(contraction.problem().dimension()),
        system_(graph_, d_),
        w_(std::move(w)),
        u_(std::move(u)),
        quadratic_(every_loss(contraction.problem(), [](const LocalLoss& loss) { return loss.hessian_is_constant(); })),
        scratch_(d_) {
    sigma_ = initial_sigma();
    expand();
    evaluate(w_, flow_, gradient_, value_);
  }

  NewtonResult run(std::int64_t most_steps, double enough) {
    NewtonResult result;
    double least_mismatch = std::numeric_limits<double>::infinity();
    int stalled = 0;
    for (int round = 0; round < 60 && result.steps < most_steps && stalled < 3; ++round) {
      result.steps += minimise(std::pow(10.0, -4 - 2 * round), most_steps - result.steps);
      // The multiplier step; what remains is how far (Dw)_e is from where the flow says it should be.
      const double mismatch = (flow_ - u_).norm() / sigma_;
      u_ = flow_;
      const bool at_rounding = mismatch <= 1e-14 * difference_size() && gradient_.norm() <= gradient_rounding();
      if (at_rounding || (enough > 0 && gap() <= enough * std::abs(value_))) {
        result.converged = true;
        break;
      }
      stalled = mismatch < 0.7 * least_mismatch || round < 6 ? 0 : stalled + 1;
      least_mismatch = std::min(least_mismatch, mismatch);
      sigma_ = std::min(sigma_ * 4, last_sigma_);
      // Who wants less than rounding level can do with the first expansion.
      if (enough == 0) expand();
      evaluate(w_, flow_, gradient_, value_);
    }
    result.converged = result.converged || stalled >= 3;
    result.fused = fused_edges();
    result.w = std::move(w_);
    result.u = std::move(u_);
    return result;
  }

 private:
  [[nodiscard]] const Problem& problem() const { return contraction_.problem(); }

  /// Losses that are quadratic are their expansion around any point, for which a group's Hessian is enough. From the
  /// nearest point rounding does least.
  void expand() {
    if (!quadratic_) return;
    centre_ = w_;
    value_at_centre_ = add_up_losses(centre_, gradient_at_centre_);
  }

  /// Σ L_i, and per group the sum of the gradients.
  double add_up_losses(const Matrix& w, Matrix& gradient) const {
    gradient = Matrix::Zero(d_, graph_.nodes());
    Vector local(d_);
    double value = 0;
    for (NodeId c = 0; c < graph_.nodes(); ++c) {
      for (const NodeId i : contraction_.members(c)) {
        problem().loss(i).gradient(w.col(c), local);
        gradient.col(c) += local;
        value += problem().loss(i).value(w.col(c));
      }
    }
    return value;
  }

  double losses(const Matrix& w, Matrix& gradient) const {
    if (!quadratic_) return add_up_losses(w, gradient);
    gradient = gradient_at_centre_;
    double value = value_at_centre_;
    Vector change(d_);
    for (NodeId c = 0; c < graph_.nodes(); ++c) {
      const auto step = w.col(c) - centre_.col(c);
      change.noalias() = hessian_.middleCols(c * d_, d_) * step;
      value += (gradient.col(c) + change / 2).dot(step);
      gradient.col(c) += change;
    }
    return value;
  }

  /// A σ for which σ‖Dw‖ and κ are of one size, tied to the curvature of the losses where Dw is 0.
  double initial_sigma() {
    hessian_ = hessian(w_);
    double kappa = 0;
    double difference = 0;
    for (EdgeId e = 0; e < graph_.edges(); ++e) {
      kappa += contraction_.kappa(e);
      difference += (w_.col(graph_.head(e)) - w_.col(graph_.tail(e))).norm();
    }
    curvature_ = Vector::Zero(d_);
    for (NodeId c = 0; c < graph_.nodes(); ++c) curvature_ += hessian_.middleCols(c * d_, d_).diagonal();
    curvature_ /= static_cast<double>(graph_.nodes());
    const double mean = curvature_.mean() > 0 ? curvature_.mean() : 1;
    curvature_ = curvature_.cwiseMax(1e-8 * mean);
    const double matched = difference > 0 ? kappa / difference : mean;
    const double first = std::clamp(matched, 1e-12 * mean, 1e4 * mean);
    last_sigma_ = std::max(1024 * first, 16 * mean);
    return first;
  }

  Matrix hessian(const Matrix& w) const {
    Matrix blocks = Matrix::Zero(d_, d_ * graph_.nodes());
    for (NodeId c = 0; c < graph_.nodes(); ++c) {
      add_hessians(problem(), contraction_.members(c), w.col(c), blocks.middleCols(c * d_, d_));
    }
    return blocks;
  }

  void evaluate(const Matrix& w, Matrix& flow, Matrix& gradient, double& value) {
    value = losses(w, gradient);
    loss_gradient_size_ = gradient.norm();
    flow.resize(d_, graph_.edges());
    Vector difference(d_);
    for (EdgeId e = 0; e < graph_.edges(); ++e) {
      difference = w.col(graph_.head(e)) - w.col(graph_.tail(e));
      flow.col(e) = u_.col(e) + sigma_ * difference;
      penalty_.dual_update(flow.data() + e * d_, d_, contraction_.kappa(e), sigma_, scratch_.data());
      gradient.col(graph_.head(e)) += flow.col(e);
      gradient.col(graph_.tail(e)) -= flow.col(e);
      // max over z at z = flow: ⟨z, v⟩ − κφ*(z/κ) − ‖z − u‖²/(2σ) = κφ(y) + ‖z‖²/(2σ) − ‖u‖²/(2σ), y = v + (u − z)/σ.
      const Vector y = difference + (u_.col(e) - flow.col(e)) / sigma_;
      value += contraction_.kappa(e) * penalty_.value(y.data(), d_) +
               (flow.col(e).squaredNorm() - u_.col(e).squaredNorm()) / (2 * sigma_);
    }
  }

  /// How far the objective can be from the contracted optimum: what edges miss, and what is left of the gradient.
  [[nodiscard]] double gap() {
    double total = gradient_.norm() * w_.norm();
    Vector difference(d_);
    for (EdgeId e = 0; e < graph_.edges(); ++e) {
      difference = w_.col(graph_.head(e)) - w_.col(graph_.tail(e));
      total +=
          penalty_.fenchel_young(difference.data(), u_.data() + e * d_, d_, contraction_.kappa(e), scratch_.data());
    }
    return total;
  }

  /// Newton's method with backtracking until ‖gradient‖ ≤ accuracy · its natural size. Returns the steps taken.
  std::int64_t minimise(double accuracy, std::int64_t most_steps) {
    std::int64_t steps = 0;
    Matrix trial_flow;
    Matrix trial_gradient;
    const double enough = std::max(accuracy * gradient_size(), gradient_rounding());
    int stalled = 0;
    while (steps < most_steps && stalled < 4 && gradient_.norm() > enough) {
      const double before = gradient_.norm();
      if (!quadratic_) hessian_ = hessian(w_);
      curvature_at_ = u_ + sigma_ * apply_incidence(graph_, w_);
      // Where losses are flat and flows saturated the Hessian is singular; the damping fades as the gradient does.
      // It is small beside the curvature of the losses and beside that of the coupling, whichever is smaller.
      const double damping = damping_ * std::min(1.0, gradient_.norm() / gradient_size());
      const double coupling = 2 * sigma_ * graph_.edges() / graph_.nodes();
      Matrix damped = hessian_;
      for (Index k = 0; k < damped.cols(); ++k) damped(k % d_, k) += damping * std::min(curvature_[k % d_], coupling);
      system_.set(damped, [this](EdgeId e, const double* dx, double* out) { apply_curvature(e, dx, out); });
      const double forcing = std::max(1e-12, std::min(1e-2, gradient_.norm() / gradient_size()));
      const Matrix step = system_.solve(-gradient_, system_.is_direct() ? 1e-12 : 1e-2 * forcing);
      const double slope = gradient_.cwiseProduct(step).sum();
      ++steps;
      bool accepted = false;
      for (double length = 1; length > 1e-8; length /= 2) {
        if (length < 1) damping_ = std::min(1.0, 3 * damping_);
        const Matrix trial = w_ + length * step;
        double trial_value = 0;
        evaluate(trial, trial_flow, trial_gradient, trial_value);
        const bool lower = trial_value <= value_ + 1e-4 * length * slope;
        // Near the end the value no longer tells, the gradient still does.
        const bool too_close = std::abs(slope) <= 1e-11 * std::abs(value_);
        const double shorter = too_close ? 1 - 0.1 * length : 0.5;
        if ((lower && !too_close) || trial_gradient.norm() <= shorter * gradient_.norm()) {
          w_ = trial;
          flow_.swap(trial_flow);
          gradient_.swap(trial_gradient);
          value_ = trial_value;
          accepted = true;
          if (length == 1) damping_ = std::max(1e-6, damping_ / 10);
          break;
        }
      }
      if (!accepted) {
        evaluate(w_, flow_, gradient_, value_);
        break;
      }
      // Far from the solution a step may leave the norm of the gradient as it is; near it that means rounding.
      stalled = gradient_.norm() > 0.5 * before && before < 1e-9 * gradient_size() ? stalled + 1 : 0;
    }
    return steps;
  }

  void apply_curvature(EdgeId e, const double* dx, double* out) {
    penalty_.dual_jvp(curvature_at_.data() + e * d_, d_, contraction_.kappa(e), sigma_, dx, out, scratch_.data());
    for (Index j = 0; j < d_; ++j) out[j] *= sigma_;
  }

  /// What rounding of ∇L and of u + σDw leaves of a gradient that should be 0.
  [[nodiscard]] double gradient_rounding() const {
    const double losses = curvature_.maxCoeff() * w_.norm();
    return std::numeric_limits<double>::epsilon() * (4 * (gradient_size() + sigma_ * difference_size()) + losses);
  }
  [[nodiscard]] double gradient_size() const { return loss_gradient_size_ + flow_.norm() + 1e-300; }
  [[nodiscard]] double difference_size() const {
    return w_.norm() * std::sqrt(static_cast<double>(std::max<EdgeId>(1, graph_.edges())) / graph_.nodes()) + 1e-300;
  }

  /// The prox (Dw)_e + (u_old − u)/σ is exactly 0 where the flow is strictly inside the ball.
  [[nodiscard]] std::vector<char> fused_edges() const {
    std::vector<char> fused(graph_.edges(), 0);
    if constexpr (PenaltyType::kIsNorm) {
      for (EdgeId e = 0; e < graph_.edges(); ++e) {
        const double room = contraction_.kappa(e) - penalty_.dual_norm(u_.data() + e * d_, d_);
        fused[e] = room > 1e-6 * contraction_.kappa(e) ? 1 : 0;
      }
    }
    return fused;
  }

  const Contraction& contraction_;
  const PenaltyType& penalty_;
  const EmpiricalGraph& graph_;
  Index d_;
  BlockSystem system_;
  Matrix w_;
  Matrix u_;
  bool quadratic_;
  Matrix centre_;  // of the expansion of quadratic losses
  double value_at_centre_ = 0;
  Matrix gradient_at_centre_;
  Vector scratch_;
  double sigma_ = 1;
  double last_sigma_ = 1;  // σ grows up to here
  Vector curvature_;       // mean curvature of the losses along each coordinate
  double damping_ = 1e-2;
  double value_ = 0;
  double loss_gradient_size_ = 0;
  Matrix hessian_;
  Matrix flow_;
  Matrix gradient_;
  Matrix curvature_at_;
};

}  // namespace

bool has_curvature(const Problem& problem) {
  if (std::holds_alternative<CustomPenalty>(problem.penalty())) return false;
  return every_loss(problem, [](const LocalLoss& loss) { return loss.has_hessian(); });
}

double newton_step_work(const Contraction& contraction) {
  return BlockSystem(contraction.graph(), contraction.problem().dimension()).work();
}

NewtonResult minimise_by_newton(const Contraction& contraction, Matrix w, Matrix u, std::int64_t most_steps,
                                double enough) {
  return std::visit(
      [&](const auto& penalty) -> NewtonResult {
        using PenaltyType = std::decay_t<decltype(penalty)>;
        if constexpr (std::is_same_v<PenaltyType, CustomPenalty>) {
          return {std::move(w), std::move(u), {}, 0, false};
        } else {
          return AugmentedLagrangian<PenaltyType>(contraction, penalty, std::move(w), std::move(u))
              .run(most_steps, enough);
        }
      },
      contraction.problem().penalty());
}

}  // namespace gtvmin
