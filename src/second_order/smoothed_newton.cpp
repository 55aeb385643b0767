#include "gtvmin/second_order/smoothed_newton.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <utility>
#include <variant>

#include "gtvmin/certify/rounding.h"
#include "gtvmin/loss/smoothed_kinks.h"
#include "gtvmin/penalty/edge_bracket.h"

namespace gtvmin {
namespace {

constexpr Index kNodesOfChunk = 32;
constexpr Index kMembersOfChunk = 128;
constexpr Index kEdgesOfChunk = 256;
/// How far inside their domain dual variables stay, relatively: the curvature of a kink is positive there.
constexpr double kInside = 1 - 1e-9;
/// Share of the largest possible smoothing error below which it does not matter.
constexpr double kLeastError = 1e-4;

/// κφ itself where it is smooth: Θ = κ∇²φ and û = κ∇φ(v).
struct SmoothPenalty {
  static constexpr bool kSmooth = true;
  static constexpr Index states(Index /*d*/) { return 0; }
  static constexpr double kErrorOf(Index /*d*/) { return 0; }
  Matrix hessian;
  double value(const double* v, Index d, double kappa, double /*epsilon*/) const {
    const Eigen::Map<const Vector> x(v, d);
    return kappa / 2 * x.dot(hessian * x);
  }
  void linearise(const double* v, const double* /*state*/, Index d, double kappa, double /*epsilon*/, double* flow,
                 double* theta) const {
    Eigen::Map<Vector>(flow, d) = kappa * (hessian * Eigen::Map<const Vector>(v, d));
    Eigen::Map<Matrix>(theta, d, d) = kappa * hessian;
  }
  void update(const double* /*next_flow*/, const double* /*v*/, const double* /*dv*/, Index /*d*/, double /*kappa*/,
              double /*epsilon*/, double /*inside*/, double* /*state*/) const {}
};

/// Calls f with the smoothed form of the penalty.
template <class F>
void with_smoothed(const Penalty& penalty, Index d, const F& f) {
  std::visit(
      [&](const auto& exact) {
        using Type = std::decay_t<decltype(exact)>;
        if constexpr (Type::kIsNorm) {
          if (d == 1 || std::is_same_v<Type, L1Penalty>) {
            f(SmoothedL1{});
          } else if constexpr (std::is_same_v<Type, LinfPenalty>) {
            f(SmoothedLinf{});
          } else {
            f(SmoothedL2{});
          }
        } else if constexpr (std::is_same_v<Type, SquaredL2Penalty>) {
          f(SmoothPenalty{Matrix::Identity(d, d)});
        } else if constexpr (std::is_same_v<Type, QuadraticPenalty>) {
          f(SmoothPenalty{exact.matrix()});
        }
      },
      penalty);
}

/// Σ of f(begin, end) over chunks, added in the order of chunks, so that threads do not matter.
template <class F>
double sum_chunks(ThreadTeam& team, Index items, Index chunk, const F& f) {
  std::vector<double> parts(static_cast<std::size_t>((items + chunk - 1) / chunk), 0);
  team.run(items, chunk, [&](int /*worker*/, Index begin, Index end) { parts[begin / chunk] = f(begin, end); });
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

}  // namespace

SmoothedNewton::SmoothedNewton(const SampleProblem& problem, const EliminationPlan& plan, Matrix w, double scale,
                               ThreadTeam& team, const SmoothedNewtonTuning& tuning)
    : problem_(problem),
      team_(team),
      tuning_(tuning),
      factor_(plan, team),
      all_(problem.dimension()),
      d_(problem.coupled_dimension()),
      states_(0),
      regularisation_(tuning.regularisation),
      w_(std::move(w)) {
  const Index n = problem.nodes();
  const Index edges = problem.edges();
  bool smooth_penalty = true;
  double error = 0;
  with_smoothed(problem.penalty(), d_, [&](const auto& smoothed) {
    states_ = smoothed.states(d_);
    smooth_penalty = smoothed.kSmooth;
    error = smoothed.kErrorOf(d_);
  });
  double residual2 = 0;
  double pull = 0;  // no flow of an optimum exceeds what all losses pull with
  Index kinked = 0;
  double step2 = 0;
  Index curved = 0;
  z_.resize(problem.samples());
  find_scores(w_, z_);
  Vector gradient(all_);
  for (NodeId g = 0; g < n; ++g) {
    gradient.setZero();
    double trace = 0;
    for (const NodeId i : problem.members(g)) {
      const SampleForm& form = problem.form(i);
      const bool kink = has_kink(form);
      for (Index r = 0; r < form.samples; ++r) {
        const double label = form.labels[r];
        const double z = z_[problem.first_sample(i) + r];
        const Eigen::Map<const Vector> x(form.x(r), all_);
        if (kink) {
          residual2 += (z - label) * (z - label);
          ++kinked;
          slope_sum_ += form.weight * slope_limit(form);
          pull += form.weight * slope_limit(form) * x.cwiseAbs().maxCoeff();
        } else {
          gradient += form.weight * link_slope<double>(form, label, z) * x;
          pull += form.weight * std::abs(link_slope<double>(form, label, z)) * x.cwiseAbs().maxCoeff();
          trace += form.weight * link_curvature(form, label, z) * x.squaredNorm();
        }
      }
      if (form.stiffness == nullptr) continue;
      for (Index j = 0; j < all_; ++j) {
        const double along = 2 * form.stiffness[j] * (w_(j, g) - form.centre_at(j));
        gradient[j] += along;
        pull += std::abs(along);
        trace += 2 * form.stiffness[j];
      }
    }
    if (trace > 0) {
      step2 += (gradient / trace).squaredNorm();
      ++curved;
    }
  }
  kinks_ = kinked > 0 || !smooth_penalty;
  for (EdgeId e = 0; e < edges; ++e) kappa_sum_ += error * std::min(problem.kappa(e), pull > 0 ? pull : kInfinity);
  epsilon_start_ = kappa_sum_ > 0 ? scale / kappa_sum_ : 1;
  if (curved > 0 && step2 > 0 && kappa_sum_ > 0) {
    epsilon_start_ = std::min(epsilon_start_, std::sqrt(step2 / static_cast<double>(curved)));
  }
  if (!(epsilon_start_ > 0) || !std::isfinite(epsilon_start_)) epsilon_start_ = 1;
  epsilon_ = epsilon_start_;
  if (kinked > 0) {
    delta_start_ = std::sqrt(residual2 / static_cast<double>(kinked));
    if (scale > 0) delta_start_ = std::min(delta_start_, scale / slope_sum_);
    if (!(delta_start_ > 0)) delta_start_ = 1;
  }
  careful_ = std::holds_alternative<LinfPenalty>(problem.penalty()) && d_ > 1;
  dw_ = Matrix::Zero(all_, n);
  gradient_.resize(all_, n);
  v_.resize(d_, edges);
  dv_ = Matrix::Zero(d_, edges);
  dz_ = Vector::Zero(problem.samples());
  p_ = Vector::Zero(problem.samples());
  state_ = Matrix::Zero(states_, edges);
  slope_.resize(problem.samples());
  curvature_.resize(problem.samples());
  flow_.resize(d_, edges);
  diagonal_.resize(static_cast<std::size_t>(n * all_ * all_));
  off_.resize(static_cast<std::size_t>(edges * all_ * all_));
  dual_ = {Matrix(d_, edges), Vector(problem.samples()), Matrix(), {}, {}, {}};
  if (problem.has_stiffness()) dual_.q = Matrix::Zero(all_, problem.problem().nodes());
}

/// Scores of all samples at, or along, the columns of `at`; by members, since groups can be few and large.
void SmoothedNewton::find_scores(const Matrix& at, Vector& scores) const {
  team_.run(members(), kMembersOfChunk, [&](int /*worker*/, Index begin, Index end) {
    for (auto i = static_cast<NodeId>(begin); i < end; ++i) {
      const SampleForm& form = problem_.form(i);
      if (form.samples == 0) continue;
      const Eigen::Map<const Matrix> x(form.features, all_, form.samples);
      scores.segment(problem_.first_sample(i), form.samples).noalias() = x.transpose() * at.col(problem_.group_of(i));
    }
  });
}

/// Slopes, flows and curvatures of the smoothed problem, its gradient and the blocks of its Hessian.
void SmoothedNewton::linearise() {
  const double delta = delta_start_ * (epsilon_ / epsilon_start_);
  find_scores(w_, z_);
  const Index block = all_ * all_;
  with_smoothed(problem_.penalty(), d_, [&](const auto& smoothed) {
    team_.run(problem_.edges(), kEdgesOfChunk, [&](int /*worker*/, Index begin, Index end) {
      Matrix theta(d_, d_);
      for (auto e = static_cast<EdgeId>(begin); e < end; ++e) {
        double* v = v_.data() + e * d_;
        problem_.difference(w_, e, v);
        double* off = off_.data() + e * block;
        double* target = problem_.couples_all() ? off : theta.data();
        smoothed.linearise(v, state_.data() + e * states_, d_, problem_.kappa(e), epsilon_, flow_.data() + e * d_,
                           target);
        if (problem_.couples_all()) {
          for (Index k = 0; k < block; ++k) off[k] = -off[k];
          continue;
        }
        std::fill(off, off + block, 0);
        for (Index b = 0; b < d_; ++b) {
          for (Index a = 0; a < d_; ++a) off[problem_.coupled(a) + problem_.coupled(b) * all_] = -theta(a, b);
        }
      }
    });
  });
  team_.run(problem_.nodes(), kNodesOfChunk, [&](int /*worker*/, Index begin, Index end) {
    for (auto g = static_cast<NodeId>(begin); g < end; ++g) {
      Eigen::Map<Matrix> hessian(diagonal_.data() + g * block, all_, all_);
      hessian.setZero();
      auto gradient = gradient_.col(g);
      gradient.setZero();
      for (const NodeId i : problem_.members(g)) {
        const SampleForm& form = problem_.form(i);
        const Index first = problem_.first_sample(i);
        for (Index r = 0; r < form.samples; ++r) {
          const SmoothedSample s = smoothed_sample(form, form.labels[r], z_[first + r], p_[first + r], delta);
          slope_[first + r] = s.slope;
          curvature_[first + r] = s.curvature;
          const double* x = form.x(r);
          const double along = form.weight * s.slope;
          for (Index b = 0; b < all_; ++b) {
            gradient[b] += along * x[b];
            const double bend = form.weight * s.curvature * x[b];
            if (bend == 0) continue;
            for (Index a = b; a < all_; ++a) hessian(a, b) += bend * x[a];
          }
        }
        if (form.stiffness == nullptr) continue;
        for (Index j = 0; j < all_; ++j) {
          gradient[j] += 2 * form.stiffness[j] * (w_(j, g) - form.centre_at(j));
          hessian(j, j) += 2 * form.stiffness[j];
        }
      }
      for (const auto& [e, neighbour, sign] : problem_.graph().incident(g)) {
        for (Index k = 0; k < d_; ++k) gradient[problem_.coupled(k)] += sign * flow_(k, e);
        const Eigen::Map<const Matrix> off(off_.data() + e * block, all_, all_);
        hessian.template triangularView<Eigen::Lower>() -= off;
      }
      hessian.template triangularView<Eigen::StrictlyUpper>() = hessian.transpose();
    }
  });
}

/// What smoothing leaves of the gap at the slopes and flows of the linearisation.
double SmoothedNewton::measure_smoothing() const {
  if (!kinks_) return 0;
  const double of_losses = sum_chunks(team_, members(), kMembersOfChunk, [&](Index begin, Index end) {
    double sum = 0;
    for (auto i = static_cast<NodeId>(begin); i < end; ++i) {
      const SampleForm& form = problem_.form(i);
      if (!has_kink(form)) continue;
      const Index first = problem_.first_sample(i);
      for (Index r = 0; r < form.samples; ++r) {
        sum += form.weight * link_bracket<double>(form, form.labels[r], z_[first + r], slope_[first + r]);
      }
    }
    return sum;
  });
  double of_edges = 0;
  std::visit(
      [&](const auto& penalty) {
        if constexpr (std::decay_t<decltype(penalty)>::kIsNorm) {
          of_edges = sum_chunks(team_, problem_.edges(), kEdgesOfChunk, [&](Index begin, Index end) {
            double sum = 0;
            double scratch = 0;
            for (auto e = static_cast<EdgeId>(begin); e < end; ++e) {
              sum += penalty.fenchel_young(v_.data() + e * d_, flow_.data() + e * d_, d_, problem_.kappa(e), &scratch);
            }
            return sum;
          });
        }
      },
      problem_.penalty());
  return of_losses + of_edges;
}

/// out = M x.
void SmoothedNewton::multiply(const Matrix& x, Matrix& out) const {
  const Index block = all_ * all_;
  out.resize(all_, problem_.nodes());
  team_.run(problem_.nodes(), kNodesOfChunk, [&](int /*worker*/, Index begin, Index end) {
    for (auto g = static_cast<NodeId>(begin); g < end; ++g) {
      const Eigen::Map<const Matrix> hessian(diagonal_.data() + g * block, all_, all_);
      out.col(g).noalias() = hessian * x.col(g);
      for (const auto& [e, neighbour, sign] : problem_.graph().incident(g)) {
        const Eigen::Map<const Matrix> off(off_.data() + e * block, all_, all_);
        out.col(g).noalias() += off * x.col(neighbour);
      }
    }
  });
}

/// M dw = −gradient, one step of refinement included. False if no regularisation makes M positive definite.
bool SmoothedNewton::solve_system(const std::function<bool()>& stop, bool& stopped) {
  stopped = false;
  while (!factor_.factorise(diagonal_.data(), off_.data(), regularisation_, stop)) {
    if (stop && stop()) {
      stopped = true;
      return false;
    }
    regularisation_ *= 100;
    if (!(regularisation_ <= tuning_.largest_regularisation)) return false;
  }
  dw_ = -gradient_;
  factor_.solve(dw_);
  Matrix left;
  multiply(dw_, left);
  left = -gradient_ - left;
  factor_.solve(left);
  dw_ += left;
  regularisation_ = std::max(tuning_.regularisation, regularisation_ / 10);
  return dw_.allFinite();
}

double SmoothedNewton::smoothed_objective(double length) {
  ++evaluations_;
  const double delta = delta_start_ * (epsilon_ / epsilon_start_);
  const double losses = sum_chunks(team_, members(), kMembersOfChunk, [&](Index begin, Index end) {
    double sum = 0;
    for (auto i = static_cast<NodeId>(begin); i < end; ++i) {
      const SampleForm& form = problem_.form(i);
      const Index first = problem_.first_sample(i);
      double of_samples = 0;
      for (Index r = 0; r < form.samples; ++r) {
        of_samples += smoothed_value(form, form.labels[r], z_[first + r] + length * dz_[first + r], delta);
      }
      sum += form.weight * of_samples;
      if (form.stiffness == nullptr) continue;
      const NodeId g = problem_.group_of(i);
      for (Index j = 0; j < all_; ++j) {
        const double off = w_(j, g) + length * dw_(j, g) - form.centre_at(j);
        sum += form.stiffness[j] * off * off;
      }
    }
    return sum;
  });
  double variation = 0;
  with_smoothed(problem_.penalty(), d_, [&](const auto& smoothed) {
    variation = sum_chunks(team_, problem_.edges(), kEdgesOfChunk, [&](Index begin, Index end) {
      Vector moved(d_);
      double sum = 0;
      for (auto e = static_cast<EdgeId>(begin); e < end; ++e) {
        moved = v_.col(e) + length * dv_.col(e);
        sum += smoothed.value(moved.data(), d_, problem_.kappa(e), epsilon_);
      }
      return sum;
    });
  });
  return losses + variation;
}

/// Flows and slopes of the full step, and the dual variables of the next one.
void SmoothedNewton::update_duals() {
  const Index block = all_ * all_;
  with_smoothed(problem_.penalty(), d_, [&](const auto& smoothed) {
    team_.run(problem_.edges(), kEdgesOfChunk, [&](int /*worker*/, Index begin, Index end) {
      for (auto e = static_cast<EdgeId>(begin); e < end; ++e) {
        const Eigen::Map<const Matrix> off(off_.data() + e * block, all_, all_);
        for (Index a = 0; a < d_; ++a) {
          double next = flow_(a, e);
          for (Index b = 0; b < d_; ++b) next -= off(problem_.coupled(a), problem_.coupled(b)) * dv_(b, e);
          dual_.u(a, e) = next;
        }
        smoothed.update(dual_.u.data() + e * d_, v_.data() + e * d_, dv_.data() + e * d_, d_, problem_.kappa(e),
                        epsilon_, kInside, state_.data() + e * states_);
      }
    });
  });
  team_.run(members(), kMembersOfChunk, [&](int /*worker*/, Index begin, Index end) {
    for (auto i = static_cast<NodeId>(begin); i < end; ++i) {
      const SampleForm& form = problem_.form(i);
      const Index first = problem_.first_sample(i);
      const double limit = kInside * slope_limit(form);
      for (Index r = 0; r < form.samples; ++r) {
        const double next = slope_[first + r] + curvature_[first + r] * dz_[first + r];
        dual_.p[first + r] = next;
        p_[first + r] = std::clamp(next, -limit, limit);
      }
      if (form.stiffness == nullptr) continue;
      const NodeId g = problem_.group_of(i);
      for (Index j = 0; j < all_; ++j) dual_.q(j, i) = 2 * (w_(j, g) + dw_(j, g) - form.centre_at(j));
    }
  });
}

void SmoothedNewton::update_smoothing(double length, double decrease) {
  if (!kinks_) return;
  const double ratio = decrease / std::max(smoothing_error_, kLeastError * kappa_sum_ * epsilon_);
  const double shrink = careful_ ? tuning_.careful_shrink : tuning_.shrink;
  if (length == 1 && ratio <= tuning_.solved_ratio) {
    epsilon_ *= shrink;
  } else if (length == 1 && ratio <= 4 * tuning_.solved_ratio) {
    epsilon_ *= std::sqrt(shrink);
  } else if (length < 0.1) {
    epsilon_ = std::min(2 * epsilon_, epsilon_start_);
  } else if (length < 1 && ratio <= 0.01) {
    epsilon_ *= 0.7;
  }
  if (length < 1) careful_ = true;
}

SmoothedNewton::Step SmoothedNewton::step(const std::function<bool()>& stop) {
  ++steps_;
  linearise();
  smoothing_error_ = measure_smoothing();
  bool stopped = false;
  if (!solve_system(stop, stopped)) return stopped ? Step::kStopped : Step::kStuck;
  find_scores(dw_, dz_);
  team_.run(problem_.edges(), kEdgesOfChunk, [&](int /*worker*/, Index begin, Index end) {
    for (auto e = static_cast<EdgeId>(begin); e < end; ++e) problem_.difference(dw_, e, dv_.data() + e * d_);
  });
  const double decrease = -(gradient_.array() * dw_.array()).sum();
  if (!std::isfinite(decrease)) return Step::kStuck;
  update_duals();
  const double before = smoothed_objective(0);
  const double slack = 1e-13 * std::abs(before);
  double length = 1;
  constexpr double kShortest = 1e-7;
  while (length > kShortest) {
    const double there = smoothed_objective(length);
    if (there <= before - tuning_.sufficient_decrease * length * decrease + slack) break;
    length /= 2;
  }
  if (length <= kShortest) {
    constexpr int kMostStuck = 5;
    if (++stuck_ >= kMostStuck || !kinks_) return Step::kStuck;
    epsilon_ /= 2;
    careful_ = true;
    return Step::kAccepted;
  }
  w_ += length * dw_;
  update_smoothing(length, decrease);
  return Step::kAccepted;
}

}  // namespace gtvmin
