#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "gtvmin/certify/dual_point.h"
#include "gtvmin/certify/rounding.h"
#include "gtvmin/graph/spanning_forest.h"

namespace gtvmin {
namespace {

/// A sample whose slope can be changed a little in either direction.
struct FreeSample {
  const double* x;
  double weight;
  double scale;  // of its slope: how much a change costs
  Index place;
};

class Refinement {
 public:
  Refinement(const SampleProblem& problem, const Partition& components, ThreadTeam& team, DualPoint& dual)
      : problem_(problem), components_(components), team_(team), dual_(dual) {}

  void run() {
    dual_.u_low = Matrix::Zero(dual_.u.rows(), dual_.u.cols());
    dual_.p_low = Vector::Zero(dual_.p.size());
    dual_.q_low = Matrix::Zero(dual_.q.rows(), dual_.q.cols());
    Vector slack = edge_utilisation(problem_, dual_.u, team_);
    for (EdgeId e = 0; e < problem_.edges(); ++e) slack[e] = problem_.kappa(e) * (1 - slack[e]);
    forest_ = maximum_spanning_forest(problem_.graph(), {slack.data(), slack.data() + slack.size()});
    collect_samples();
    constexpr int kRounds = 3;
    for (int round = 0; round < kRounds; ++round) {
      auto [residual, error] = balance(problem_, dual_, team_);
      if ((residual.array().abs() <= error.array()).all()) return;  // nothing but the rounding of twice the precision
      absorb_locally(residual);
      absorb_totals(residual);
      route(residual);
    }
  }

 private:
  /// Free samples of one node, or a few of every component.
  void collect_samples() {
    const auto most = static_cast<std::size_t>(8 * problem_.dimension());
    free_.resize(components_.groups);
    for (NodeId g = 0; g < problem_.nodes(); ++g) {
      std::vector<FreeSample>& free = free_[components_.group_of[g]];
      for (const NodeId i : problem_.members(g)) {
        if (free.size() < most) add_samples(i, most, free);
      }
    }
  }

  void add_samples(NodeId i, std::size_t most, std::vector<FreeSample>& free) const {
    const SampleForm& form = problem_.form(i);
    for (Index r = 0; r < form.samples && free.size() < most; ++r) {
      const Index place = problem_.first_sample(i) + r;
      const double p = dual_.p[place];
      const double label = form.labels[r];
      const double room = std::min(std::abs(clip_slope(form, label, p + kNudge * std::abs(p)) - p),
                                   std::abs(clip_slope(form, label, p - kNudge * std::abs(p)) - p));
      const double scale = form.link == Link::kSquared ? std::max(std::abs(p), std::abs(label)) : room / kNudge;
      if (scale > 0) free.push_back({form.x(r), form.weight, scale, place});
    }
  }

  /// Changes slopes so that their part of the balance falls by `excess`: the least change, weighed by the size of
  /// slopes.
  void absorb(const std::vector<FreeSample>& free, const Vector& excess) {
    if (free.empty() || excess.isZero(0)) return;
    const auto count = static_cast<Index>(free.size());
    Matrix columns(problem_.dimension(), count);
    for (Index k = 0; k < count; ++k) {
      columns.col(k) = Eigen::Map<const Vector>(free[k].x, problem_.dimension()) * (free[k].weight * free[k].scale);
    }
    Vector scale = columns.rowwise().lpNorm<Eigen::Infinity>();
    for (double& s : scale) s = s > 0 ? 1 / s : 0;
    const Matrix scaled = scale.asDiagonal() * columns;
    const Vector change = scaled.completeOrthogonalDecomposition().solve(Vector(scale.cwiseProduct(-excess)));
    if (!change.allFinite()) return;
    for (Index k = 0; k < count; ++k) dual_.p_low[free[k].place] += change[k] * free[k].scale;
  }

  /// Quadratic terms and samples take the residual of their own node as far as they can.
  void absorb_locally(Matrix& residual) {
    const auto most = static_cast<std::size_t>(2 * problem_.dimension());
    std::vector<FreeSample> free;
    for (NodeId g = 0; g < problem_.nodes(); ++g) {
      for (const NodeId i : problem_.members(g)) {
        const SampleForm& form = problem_.form(i);
        for (Index j = 0; j < problem_.dimension() && form.stiffness != nullptr; ++j) {
          if (!(form.stiffness[j] > 0)) continue;
          dual_.q_low(j, i) -= residual(j, g) / form.stiffness[j];
          residual(j, g) = 0;
        }
        if (residual.col(g).isZero(0)) continue;
        free.clear();
        add_samples(i, most, free);
        if (free.empty()) continue;
        absorb(free, residual.col(g));
        residual.col(g).setZero();
      }
    }
    residual = balance(problem_, dual_, team_).residual;
  }

  /// Samples anywhere in a component take its total.
  void absorb_totals(Matrix& residual) {
    Matrix totals = Matrix::Zero(problem_.dimension(), components_.groups);
    for (NodeId g = 0; g < problem_.nodes(); ++g) totals.col(components_.group_of[g]) += residual.col(g);
    for (NodeId c = 0; c < components_.groups; ++c) absorb(free_[c], totals.col(c));
    residual = balance(problem_, dual_, team_).residual;
  }

  /// The rest flows to the root.
  void route(const Matrix& residual) {
    const Index d = problem_.coupled_dimension();
    Matrix left(d, problem_.nodes());
    for (NodeId g = 0; g < problem_.nodes(); ++g) {
      for (Index k = 0; k < d; ++k) left(k, g) = residual(problem_.coupled(k), g);
    }
    for (auto at = forest_.order.rbegin(); at != forest_.order.rend(); ++at) {
      const EdgeId e = forest_.edge[*at];
      if (e < 0) continue;
      const double sign = problem_.graph().head(e) == *at ? 1 : -1;
      dual_.u_low.col(e) -= sign * left.col(*at);
      left.col(forest_.parent[*at]) += left.col(*at);
    }
  }

  static constexpr double kNudge = 1e-3;

  const SampleProblem& problem_;
  const Partition& components_;
  ThreadTeam& team_;
  DualPoint& dual_;
  SpanningForest forest_;
  std::vector<std::vector<FreeSample>> free_;
};

}  // namespace

void refine_balance(const SampleProblem& problem, const Partition& components, ThreadTeam& team, DualPoint& dual) {
  DualPoint refined = dual;
  Refinement(problem, components, team, refined).run();
  // Low parts that are larger than the slack of an edge, or than the room that scale_into_domain has left, would leave
  // the domain.
  const bool norm = is_norm(problem.penalty());
  const Vector utilisation = edge_utilisation(problem, refined.u, team);
  for (EdgeId e = 0; e < problem.edges(); ++e) {
    const double slack = std::max(2 * kEpsilon, (1 - utilisation[e]) / 2);
    const double limit = norm ? slack * problem.kappa(e) : kInfinity;
    if (!(refined.u_low.col(e).lpNorm<1>() <= limit)) return;
  }
  for (NodeId i = 0; i < problem.problem().nodes(); ++i) {
    const SampleForm& form = problem.form(i);
    for (Index r = 0; r < form.samples; ++r) {
      const Index at = problem.first_sample(i) + r;
      const double p = refined.p[at];
      const double low = refined.p_low[at];
      if (!std::isfinite(low)) return;
      if (form.link != Link::kSquared && clip_slope(form, form.labels[r], p + 2 * low) != p + 2 * low) return;
    }
  }
  dual = std::move(refined);
}

}  // namespace gtvmin
