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

Certificate certify(const SampleProblem& problem, const Partition& components, const Matrix& w, const DualPoint& dual,
                    double start_objective, ThreadTeam& team, bool radius) {
  Certificate certificate;
  const auto objective = static_cast<double>(problem.objective(w, team));
  GapTerms terms = gap_terms(problem, w, dual, team);
  certificate.node_terms = std::move(terms.nodes);
  certificate.edge_terms = std::move(terms.edges);
  if (radius) {
    const Balance missed = balance(problem, dual, team);
    const OptimumRadius where = optimum_radius(problem, components, w, dual, missed, team);
    switch (where.outcome) {
      case OptimumRadius::Outcome::kProved:
        certificate.kind = Certificate::Kind::kGap;
        break;
      case OptimumRadius::Outcome::kFlat:
        certificate.kind = Certificate::Kind::kNoneCollinear;
        break;
      case OptimumRadius::Outcome::kUnbounded:
        certificate.kind = Certificate::Kind::kNoneUnbounded;
        break;
    }
    if (certificate.kind == Certificate::Kind::kGap) {
      const Matrix charge = (missed.residual.cwiseAbs() + missed.error).cwiseProduct(where.reach);
      certificate.node_terms += charge.colwise().sum().transpose() * (1 + 1e-12);
    }
  }
  // Edge weights λA_e and sample weights are rounded once each: a relative change of F of at most 2ε.
  const double rounding = 4 * kEpsilon * std::abs(objective);
  certificate.value = GapTerms{certificate.node_terms, certificate.edge_terms}.sum() + rounding;
  certificate.relative = relative_gap(certificate.value, objective, start_objective);
  certificate.dual_value = objective - certificate.value;
  if (!std::isfinite(certificate.value) && certificate.kind == Certificate::Kind::kGap) {
    certificate.kind = Certificate::Kind::kNoneUnbounded;
  }
  return certificate;
}

}  // namespace gtvmin
