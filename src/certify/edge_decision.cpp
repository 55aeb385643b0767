#include "gtvmin/certify/edge_decision.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "gtvmin/certify/optimum_radius.h"
#include "gtvmin/certify/rounding.h"
#include "gtvmin/graph/spanning_forest.h"

namespace gtvmin {
namespace {

/// What can change: sums of squares share one bound on the gap (Cauchy–Schwarz), the rest adds up.
struct Demand {
  double squares = 0;  // coefficients c with a change of at most Σ √(c_k t_k), Σ t_k ≤ gap
  double rest = 0;
  void add(const Demand& other) {
    squares += other.squares;
    rest += other.rest;
  }
  [[nodiscard]] double total(double gap) const { return std::sqrt(squares * gap) + rest; }
};

/// How far weight · slope · x of a sample can move, in the sum of coordinates.
Demand sample_demand(const SampleForm& form, double label, double p, double size, double gap) {
  switch (form.link) {
    case Link::kSquared:
      return {4 * form.weight * size * size, 0};
    case Link::kLogistic:
      return {form.weight * size * size / 2, 0};  // Pinsker
    case Link::kPoisson:
      return {2 * std::max(p + label, 0.0) * form.weight * size * size, 2 * gap * size};
    case Link::kAbsolute:
    case Link::kHuber:
      return {0, kInfinity};  // slopes at a kink are not unique
  }
  return {0, kInfinity};
}

class EdgeDecision {
 public:
  EdgeDecision(const SampleProblem& problem, const Partition& groups, const Matrix& w, const DualPoint& dual,
               double gap, ThreadTeam& team)
      : problem_(problem),
        groups_(groups),
        w_(w),
        dual_(dual),
        gap_(std::max(gap, std::numeric_limits<double>::min())),
        utilisation_(edge_utilisation(problem, dual.u, team)),
        missed_(balance(problem, dual, team)) {}

  std::vector<EdgeStatus> run() {
    constexpr int kMostRounds = 10;
    bool proved = false;
    for (int round = 0; round < kMostRounds && !proved; ++round) {
      reach_ = group_reach();
      proved = take_apart_unproved();
    }
    std::vector<EdgeStatus> status(problem_.problem().edges(), EdgeStatus::kUndecided);
    for (EdgeId e = 0; e < problem_.problem().edges() && proved; ++e) {
      const NodeId a = groups_.group_of[problem_.problem().graph().head(e)];
      const NodeId b = groups_.group_of[problem_.problem().graph().tail(e)];
      if (a == b)
        status[e] = EdgeStatus::kFused;
      else if (differ(a, b))
        status[e] = EdgeStatus::kSeparate;
    }
    return status;
  }

 private:
  /// |W*_g − w_g| for every group, D × groups; +∞ where its own samples do not tell.
  [[nodiscard]] Matrix group_reach() {
    const Index all = problem_.dimension();
    Matrix reach = Matrix::Constant(all, groups_.groups, kInfinity);
    representative_.assign(groups_.groups, -1);
    std::vector<std::vector<BoundedRow>> rows(groups_.groups);
    for (NodeId i = 0; i < problem_.nodes(); ++i) {
      const NodeId g = groups_.group_of[i];
      if (representative_[g] < 0) representative_[g] = i;
      const std::vector<BoundedRow> own = score_rows(problem_, dual_, w_, i, gap_);
      rows[g].insert(rows[g].end(), own.begin(), own.end());
    }
    for (NodeId g = 0; g < groups_.groups; ++g) {
      if (static_cast<Index>(rows[g].size()) < all) continue;
      const std::vector<Affine> bounds = level_bounds(all, rows[g], gap_);
      for (Index j = 0; j < all; ++j) {
        const double bound = bounds[static_cast<std::size_t>(j)].at(gap_);
        if (bound > 0 && std::isfinite(bound)) reach(j, g) = bound;  // 0: no sample sees the coordinate
      }
    }
    return reach;
  }

  [[nodiscard]] double distance(NodeId a, NodeId b, Index j) const {
    return std::abs(w_(j, representative_[a]) - w_(j, representative_[b]));
  }
  [[nodiscard]] bool differ(NodeId a, NodeId b) const {
    for (Index k = 0; k < problem_.coupled_dimension(); ++k) {
      const Index j = problem_.coupled(k);
      if (distance(a, b, j) > reach_(j, a) + reach_(j, b)) return true;
    }
    return false;
  }

  /// How far, in the sum of coordinates, the flow of an edge between groups at W* can be from that of the dual point.
  [[nodiscard]] Demand flow_demand(EdgeId e, NodeId a, NodeId b) const {
    const Index d = problem_.coupled_dimension();
    const double kappa = problem_.kappa(e);
    Vector low(d);  // least and largest |v*_j|
    Vector high(d);
    for (Index k = 0; k < d; ++k) {
      const Index j = problem_.coupled(k);
      const double away = reach_(j, a) + reach_(j, b);
      low[k] = std::max(0.0, distance(a, b, j) - away);
      high[k] = distance(a, b, j) + away;
    }
    if (std::holds_alternative<L1Penalty>(problem_.penalty()) || d == 1) {
      double sum = 0;
      for (const double v : low) sum += v > 0 ? gap_ / v : kInfinity;
      return {0, sum};
    }
    if (std::holds_alternative<LinfPenalty>(problem_.penalty())) {
      Index largest = 0;
      low.maxCoeff(&largest);
      double second = 0;
      for (Index k = 0; k < d; ++k) {
        if (k != largest) second = std::max(second, high[k]);
      }
      const double lead = low[largest] - second;
      return {0, lead > 0 ? 2 * gap_ / lead : kInfinity};
    }
    const double length = low.norm();
    if (!(length > 0)) return {0, kInfinity};
    return {static_cast<double>(d) * 2 * kappa / length, 0};
  }

  [[nodiscard]] std::vector<Demand> demands() const {
    std::vector<Demand> demand(problem_.nodes());
    for (NodeId i = 0; i < problem_.nodes(); ++i) {
      const SampleForm& form = problem_.form(i);
      demand[i].rest = missed_.residual.col(i).lpNorm<1>() + missed_.error.col(i).sum();
      for (Index r = 0; r < form.samples; ++r) {
        const double size = Eigen::Map<const Vector>(form.x(r), form.dimension).lpNorm<1>();
        demand[i].add(sample_demand(form, form.labels[r], dual_.p[problem_.first_sample(i) + r], size, gap_));
      }
      for (Index j = 0; j < form.dimension; ++j) demand[i].squares += 4 * form.stiffness_at(j);
    }
    for (EdgeId e = 0; e < problem_.edges(); ++e) {
      const NodeId a = groups_.group_of[problem_.graph().head(e)];
      const NodeId b = groups_.group_of[problem_.graph().tail(e)];
      if (a == b) continue;
      const Demand change = flow_demand(e, a, b);
      demand[problem_.graph().head(e)].add(change);
      demand[problem_.graph().tail(e)].add(change);
    }
    return demand;
  }

  /// Takes the groups apart inside which demands cannot be routed through slack. True if there are none.
  bool take_apart_unproved() {
    Vector slack(problem_.edges());
    std::vector<char> inner(problem_.edges());
    for (EdgeId e = 0; e < problem_.edges(); ++e) {
      const NodeId a = groups_.group_of[problem_.graph().head(e)];
      inner[e] = a == groups_.group_of[problem_.graph().tail(e)] ? 1 : 0;
      const double low = dual_.has_low() ? dual_.u_low.col(e).lpNorm<1>() : 0;
      slack[e] = inner[e] != 0 ? problem_.kappa(e) * (1 - utilisation_[e] - 16 * kEpsilon) - low : -kInfinity;
    }
    const SpanningForest forest =
        maximum_spanning_forest(problem_.graph(), {slack.data(), slack.data() + slack.size()});
    std::vector<Demand> below = demands();
    std::vector<char> apart(groups_.groups, 0);
    for (auto at = forest.order.rbegin(); at != forest.order.rend(); ++at) {
      const EdgeId e = forest.edge[*at];
      if (e < 0 || inner[e] == 0) continue;
      if (!(below[*at].total(gap_) * (1 + 1e-9) < slack[e])) apart[groups_.group_of[*at]] = 1;
      below[forest.parent[*at]].add(below[*at]);
    }
    if (std::find(apart.begin(), apart.end(), 1) == apart.end()) return true;
    std::vector<char> kept(problem_.edges());
    for (EdgeId e = 0; e < problem_.edges(); ++e) {
      kept[e] = inner[e] != 0 && apart[groups_.group_of[problem_.graph().head(e)]] == 0 ? 1 : 0;
    }
    groups_ = connected_groups(problem_.graph(), kept);
    return false;
  }

  const SampleProblem& problem_;
  Partition groups_;
  const Matrix& w_;
  const DualPoint& dual_;
  double gap_;
  Vector utilisation_;
  Balance missed_;
  Matrix reach_;
  std::vector<NodeId> representative_;
};

}  // namespace

std::vector<EdgeStatus> decide_edges(const SampleProblem& problem, const Partition& groups, const Matrix& w,
                                     const DualPoint& dual, double gap, ThreadTeam& team) {
  return EdgeDecision(problem, groups, w, dual, gap, team).run();
}

}  // namespace gtvmin
