#include "gtvmin/certify/certify.h"

#include <cmath>

#include "gtvmin/certify/optimum_radius.h"
#include "gtvmin/certify/rounding.h"

namespace gtvmin {

void make_feasible(const SampleProblem& problem, const Partition& components, ThreadTeam& team, DualPoint& dual) {
  for (NodeId i = 0; i < problem.problem().nodes(); ++i) {
    const SampleForm& form = problem.form(i);
    if (std::isfinite(slope_limit(form))) continue;  // scaled below, which keeps the balance
    for (Index r = 0; r < form.samples; ++r) {
      double& p = dual.p[problem.first_sample(i) + r];
      p = clip_slope(form, form.labels[r], p);
    }
  }
  route_residual(problem, balance(problem, dual, team).residual, team, dual);
  scale_into_domain(problem, components, team, dual);
}

namespace {

Certificate::Kind kind_of(OptimumRadius::Outcome outcome) {
  switch (outcome) {
    case OptimumRadius::Outcome::kProved:
      return Certificate::Kind::kGap;
    case OptimumRadius::Outcome::kFlat:
      return Certificate::Kind::kNoneCollinear;
    case OptimumRadius::Outcome::kUnbounded:
      return Certificate::Kind::kNoneUnbounded;
  }
  return Certificate::Kind::kNoneUnbounded;
}

/// The dual point with 0 in components where no optimum was located. There it proves that no loss falls below its
/// least value; its balance is exact, so that no radius is needed.
DualPoint without_unlocated(const SampleProblem& problem, const Partition& components, const OptimumRadius& where,
                            DualPoint dual) {
  const auto is_located = [&](NodeId g) {
    return where.outcomes[components.group_of[g]] == OptimumRadius::Outcome::kProved;
  };
  for (EdgeId e = 0; e < problem.edges(); ++e) {
    if (is_located(problem.graph().head(e))) continue;
    dual.u.col(e).setZero();
    if (dual.u_low.size() > 0) dual.u_low.col(e).setZero();
  }
  for (NodeId g = 0; g < problem.nodes(); ++g) {
    if (is_located(g)) continue;
    for (const NodeId i : problem.members(g)) {
      const Index samples = problem.form(i).samples;
      dual.p.segment(problem.first_sample(i), samples).setZero();
      if (dual.p_low.size() > 0) dual.p_low.segment(problem.first_sample(i), samples).setZero();
      if (dual.q.size() > 0) dual.q.col(i).setZero();
      if (dual.q_low.size() > 0) dual.q_low.col(i).setZero();
    }
  }
  return dual;
}

/// The terms of the gap and, with `where`, the charges for what the balance misses.
void evaluate(const SampleProblem& problem, const Matrix& w, const DualPoint& dual, const OptimumRadius* where,
              const Balance& missed, double start_objective, ThreadTeam& team, Certificate& certificate) {
  const auto objective = static_cast<double>(problem.objective(w, team));
  GapTerms terms = gap_terms(problem, w, dual, team);
  certificate.gap = terms.sum();
  if (where != nullptr) {
    const Matrix charge = (missed.residual.cwiseAbs() + missed.error).cwiseProduct(where->reach);
    terms.nodes += charge.colwise().sum().transpose() * (1 + 1e-12);
  }
  // Edge weights λA_e and sample weights are rounded once each: a relative change of F of at most 2ε.
  const double rounding = 4 * kEpsilon * std::abs(objective);
  certificate.value = terms.sum() + rounding;
  certificate.relative = relative_gap(certificate.value, objective, start_objective);
  certificate.dual_value = objective - certificate.value;
  certificate.node_terms = std::move(terms.nodes);
  certificate.edge_terms = std::move(terms.edges);
}

}  // namespace

Certificate certify(const SampleProblem& problem, const Partition& components, const Matrix& w, const DualPoint& dual,
                    double start_objective, ThreadTeam& team, bool radius) {
  Certificate certificate;
  if (!radius) {
    evaluate(problem, w, dual, nullptr, {}, start_objective, team, certificate);
    return certificate;
  }
  const Balance missed = balance(problem, dual, team);
  const OptimumRadius where = optimum_radius(problem, components, w, dual, missed, team);
  certificate.kind = kind_of(where.outcome());
  evaluate(problem, w, dual, &where, missed, start_objective, team, certificate);
  if (certificate.kind != Certificate::Kind::kGap) {
    const DualPoint located = without_unlocated(problem, components, where, dual);
    Certificate partly;
    partly.kind = Certificate::Kind::kGap;
    evaluate(problem, w, located, &where, balance(problem, located, team), start_objective, team, partly);
    if (partly.relative < kWorthStating) certificate = std::move(partly);
  }
  if (!std::isfinite(certificate.value) && certificate.kind == Certificate::Kind::kGap) {
    certificate.kind = Certificate::Kind::kNoneUnbounded;
  }
  return certificate;
}

}  // namespace gtvmin
