#include "gtvmin/solver/incumbent.h"

#include <cmath>
#include <utility>

namespace gtvmin {

Incumbent::Incumbent(const ProblemFacts& facts, double start_objective, double tolerance, ThreadTeam& team)
    : facts_(facts), start_objective_(start_objective), tolerance_(tolerance), team_(team) {}

bool Incumbent::offer(const Matrix& parameters) {
  const long double objective = facts_.samples->objective(parameters, team_);
  if (!(objective < objective_)) return false;
  parameters_ = parameters;
  objective_ = objective;
  certificate_.reset();
  return true;
}

bool Incumbent::offer(DualPoint dual) {
  make_feasible(*facts_.samples, facts_.components, team_, dual);
  const auto at_best = [&](bool radius) {
    return certify(*facts_.samples, facts_.components, parameters_, dual, start_objective_, team_, radius);
  };
  Certificate certificate = at_best(/*radius=*/false);
  const bool promises_more = certificate.dual_value > lower_bound_;
  bool proved = false;
  bool with_radius = false;
  // A radius costs more than the gap itself: only where it can end the run. Refining costs more again: only where what
  // the balance misses is charged more than the gap.
  if (certificate.relative <= tolerance_ && (promises_more || !proved_)) {
    const double estimate = certificate.value;
    certificate = at_best(/*radius=*/true);
    if (!is_bound(certificate) || certificate.value > 2 * estimate) {
      refine_balance(*facts_.samples, facts_.components, team_, dual);
      certificate = at_best(/*radius=*/true);
    }
    proved = is_bound(certificate);
    with_radius = true;
  }
  const bool better = proved_ ? proved && certificate.dual_value > lower_bound_ : proved || promises_more || !has_dual_;
  if (!better) return false;
  dual_ = std::move(dual);
  has_dual_ = true;
  proved_ = proved;
  lower_bound_ = objective_ - certificate.value;
  certificate_.reset();
  if (with_radius) certificate_ = std::move(certificate);
  return true;
}

void Incumbent::fuse(Matrix parameters) {
  objective_ = facts_.samples->objective(parameters, team_);
  parameters_ = std::move(parameters);
  certificate_.reset();
}

void Incumbent::prove() {
  if (proved_ || !has_dual_) return;
  refine_balance(*facts_.samples, facts_.components, team_, dual_);
  certificate_.reset();
  proved_ = is_bound(certificate());
  if (proved_) lower_bound_ = objective_ - certificate_->value;
}

const Certificate& Incumbent::certificate() {
  if (!certificate_) {
    certificate_ = certify(*facts_.samples, facts_.components, parameters_, dual_, start_objective_, team_);
  }
  return *certificate_;
}

}  // namespace gtvmin
