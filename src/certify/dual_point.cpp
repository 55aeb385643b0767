#include "gtvmin/certify/dual_point.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <variant>

#include "gtvmin/certify/checked_sum.h"
#include "gtvmin/certify/rounding.h"
#include "gtvmin/certify/sample_gap.h"
#include "gtvmin/graph/spanning_forest.h"
#include "gtvmin/penalty/edge_bracket.h"

namespace gtvmin {
namespace {

constexpr Index kNodesOfChunk = 64;
constexpr Index kEdgesOfChunk = 512;

template <class Function>
void for_groups(const SampleProblem& problem, ThreadTeam& team, const Function& f) {
  team.run(problem.nodes(), kNodesOfChunk, [&](int /*worker*/, Index begin, Index end) {
    for (auto g = static_cast<NodeId>(begin); g < end; ++g) f(g);
  });
}

template <class Function>
void for_edges(const SampleProblem& problem, ThreadTeam& team, const Function& f) {
  team.run(problem.edges(), kEdgesOfChunk, [&](int /*worker*/, Index begin, Index end) { f(begin, end); });
}

}  // namespace

Balance balance(const SampleProblem& problem, const DualPoint& dual, ThreadTeam& team) {
  const Index all = problem.dimension();
  const Index d = problem.coupled_dimension();
  Balance result{Matrix(all, problem.nodes()), Matrix(all, problem.nodes())};
  const bool low = dual.has_low();
  const auto at_group = [&](NodeId g, std::vector<CheckedSum>& sums, CheckedSums& flows) {
    sums.assign(all, {});
    flows.clear();
    for (const NodeId i : problem.members(g)) {
      const SampleForm& form = problem.form(i);
      for (Index r = 0; r < form.samples; ++r) {
        const Index at = problem.first_sample(i) + r;
        DoubleDouble slope = DoubleDouble::exact_product(form.weight, dual.p[at]);
        if (low) slope.add(DoubleDouble::exact_product(form.weight, dual.p_low[at]));
        const double* x = form.x(r);
        for (Index j = 0; j < all; ++j) sums[j].add(DoubleDouble::product(slope, x[j]));
      }
      if (form.stiffness == nullptr) continue;
      for (Index j = 0; j < all; ++j) {
        sums[j].add(DoubleDouble::exact_product(form.stiffness[j], dual.q(j, i)));
        if (low) sums[j].add(DoubleDouble::exact_product(form.stiffness[j], dual.q_low(j, i)));
      }
    }
    for (const auto& [e, neighbour, sign] : problem.graph().incident(g)) {
      flows.add(dual.u.data() + e * d, sign);
      if (low) flows.add(dual.u_low.data() + e * d, sign);
    }
    for (Index k = 0; k < d; ++k) sums[problem.coupled(k)].add(flows[k]);
    for (Index j = 0; j < all; ++j) {
      result.residual(j, g) = sums[j].value();
      result.error(j, g) = sums[j].error();
    }
  };
  team.run(problem.nodes(), kNodesOfChunk, [&](int /*worker*/, Index begin, Index end) {
    std::vector<CheckedSum> sums;
    CheckedSums flows(d);
    for (auto g = static_cast<NodeId>(begin); g < end; ++g) at_group(g, sums, flows);
  });
  return result;
}

Vector edge_utilisation(const SampleProblem& problem, const Matrix& u, ThreadTeam& team) {
  Vector utilisation = Vector::Zero(problem.edges());
  std::visit(
      [&](const auto& penalty) {
        if constexpr (std::decay_t<decltype(penalty)>::kIsNorm) {
          for_edges(problem, team, [&](Index begin, Index end) {
            for (auto e = static_cast<EdgeId>(begin); e < end; ++e) {
              utilisation[e] = penalty.dual_norm(u.data() + e * u.rows(), u.rows()) / problem.kappa(e);
            }
          });
        }
      },
      problem.penalty());
  return utilisation;
}

void route_residual(const SampleProblem& problem, const Matrix& residual, ThreadTeam& team, DualPoint& dual) {
  if (problem.edges() == 0) return;
  const Index d = problem.coupled_dimension();
  Vector slack = edge_utilisation(problem, dual.u, team);
  for (EdgeId e = 0; e < problem.edges(); ++e) slack[e] = problem.kappa(e) * (1 - slack[e]);
  const SpanningForest forest = maximum_spanning_forest(problem.graph(), {slack.data(), slack.data() + slack.size()});
  Matrix left(d, problem.nodes());
  for (NodeId g = 0; g < problem.nodes(); ++g) {
    for (Index k = 0; k < d; ++k) left(k, g) = residual(problem.coupled(k), g);
  }
  for (auto at = forest.order.rbegin(); at != forest.order.rend(); ++at) {
    const EdgeId e = forest.edge[*at];
    if (e < 0) continue;
    const double sign = problem.graph().head(e) == *at ? 1 : -1;
    dual.u.col(e) -= sign * left.col(*at);
    left.col(forest.parent[*at]) += left.col(*at);
  }
}

void scale_into_domain(const SampleProblem& problem, const Partition& components, ThreadTeam& team, DualPoint& dual) {
  const auto d = static_cast<double>(problem.coupled_dimension());
  // Norms of flows are computed with a relative error of at most (d + 2)ε/2; the rest is room for low parts.
  const double margin = 1 - (d + 16) * kEpsilon;
  const Vector utilisation = edge_utilisation(problem, dual.u, team);
  Vector factor = Vector::Ones(components.groups);
  for (EdgeId e = 0; e < problem.edges(); ++e) {
    double& least = factor[components.group_of[problem.graph().head(e)]];
    if (utilisation[e] > margin) least = std::min(least, margin / utilisation[e]);
  }
  for (NodeId g = 0; g < problem.nodes(); ++g) {
    double& least = factor[components.group_of[g]];
    for (const NodeId i : problem.members(g)) {
      const SampleForm& form = problem.form(i);
      const double limit = slope_limit(form);
      for (Index r = 0; r < form.samples; ++r) {
        double& p = dual.p[problem.first_sample(i) + r];
        if (std::isfinite(limit)) {
          if (std::abs(p) > limit) least = std::min(least, limit / std::abs(p) * (1 - 2 * kEpsilon));
        } else {
          p = clip_slope(form, form.labels[r], p);
        }
      }
    }
  }
  if ((factor.array() == 1).all()) return;
  for (EdgeId e = 0; e < problem.edges(); ++e) {
    dual.u.col(e) *= factor[components.group_of[problem.graph().head(e)]];
  }
  for_groups(problem, team, [&](NodeId g) {
    const double scale = factor[components.group_of[g]];
    for (const NodeId i : problem.members(g)) {
      const SampleForm& form = problem.form(i);
      for (Index r = 0; r < form.samples; ++r) {
        double& p = dual.p[problem.first_sample(i) + r];
        p = clip_slope(form, form.labels[r], scale * p);
      }
      if (dual.q.size() > 0) dual.q.col(i) *= scale;
    }
  });
}

double GapTerms::sum() const {
  long double total = 0;
  for (const double term : nodes) total += term;
  for (const double term : edges) total += term;
  const auto terms = static_cast<long double>(nodes.size() + edges.size() + 2);
  return static_cast<double>(total * (1 + terms * kUnit)) * (1 + kEpsilon);
}

GapTerms gap_terms(const SampleProblem& problem, const Matrix& w, const DualPoint& dual, ThreadTeam& team) {
  GapTerms terms{Vector(problem.nodes()), Vector(problem.edges())};
  const Index all = problem.dimension();
  const bool low = dual.has_low();
  for_groups(problem, team, [&](NodeId g) {
    const double* at = w.data() + g * all;
    long double sum = 0;
    Index count = 0;
    for (const NodeId i : problem.members(g)) {
      const SampleForm& form = problem.form(i);
      long double of_samples = 0;
      for (Index r = 0; r < form.samples; ++r) {
        const Index place = problem.first_sample(i) + r;
        const long double p = low ? static_cast<long double>(dual.p[place]) + dual.p_low[place] : dual.p[place];
        of_samples += sample_gap(form, r, at, p);
      }
      count += form.samples;
      if (form.samples > 0) sum += form.weight * of_samples;
      if (form.stiffness == nullptr) continue;
      for (Index j = 0; j < all; ++j) {
        long double off = static_cast<long double>(at[j]) - form.centre_at(j) - dual.q(j, i) / 2;
        if (low) off -= dual.q_low(j, i) / 2;
        sum += form.stiffness[j] * off * off;
      }
      count += all;
    }
    terms.nodes[g] = static_cast<double>(sum * (1 + static_cast<long double>(count + 4) * kUnit)) * (1 + kEpsilon);
  });
  const Index d = problem.coupled_dimension();
  const auto is_zero = [](long double x) { return x == 0; };
  std::visit(
      [&](const auto& penalty) {
        for_edges(problem, team, [&](Index begin, Index end) {
          std::vector<long double> v(d);
          std::vector<double> scratch(d);
          for (auto e = static_cast<EdgeId>(begin); e < end; ++e) {
            problem.difference(w, e, v.data());
            // Nothing is lost where a norm is 0: ⟨u, 0⟩ = κ·0.
            if (std::decay_t<decltype(penalty)>::kIsNorm && std::all_of(v.begin(), v.end(), is_zero)) {
              terms.edges[e] = 0;
              continue;
            }
            const double* u = dual.u.data() + e * d;
            const double kappa = problem.kappa(e);
            long double size = kappa * penalty_value(penalty, v.data(), d);
            for (Index j = 0; j < d; ++j) size += std::abs(u[j] * v[j]);
            long double beyond = 0;  // the bracket of u + u_low exceeds that of u by −⟨u_low, v⟩
            for (Index j = 0; j < d && low; ++j) beyond += std::abs(dual.u_low(j, e) * v[j]);
            const long double bracket = edge_bracket(penalty, v.data(), u, d, kappa, scratch.data());
            // kUnit for the formula, kEpsilon for κ = λA_e, which is rounded to a double.
            terms.edges[e] =
                static_cast<double>(bracket + beyond + size * (static_cast<long double>(d + 4) * kUnit + kEpsilon));
          }
        });
      },
      problem.penalty());
  return terms;
}

}  // namespace gtvmin
