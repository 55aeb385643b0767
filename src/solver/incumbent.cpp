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
  // A radius costs more than the gap itself: only where it can end the run.
  if (certificate.relative <= tolerance_ && (promises_more || !proved_)) {
    refine_balance(*facts_.samples, facts_.components, team_, dual);
    certificate = at_best(/*radius=*/true);
    proved = is_bound(certificate);
  }
  const bool better = proved_ ? proved && certificate.dual_value > lower_bound_ : proved || promises_more || !has_dual_;
  if (!better) return false;
  dual_ = std::move(dual);
  has_dual_ = true;
  proved_ = proved;
  lower_bound_ = objective_ - certificate.value;
  return true;
}

void Incumbent::fuse(Matrix parameters) {
  objective_ = facts_.samples->objective(parameters, team_);
  parameters_ = std::move(parameters);
}

void Incumbent::prove() {
  if (proved_ || !has_dual_) return;
  refine_balance(*facts_.samples, facts_.components, team_, dual_);
  const Certificate certificate = this->certificate();
  proved_ = is_bound(certificate);
  if (proved_) lower_bound_ = objective_ - certificate.value;
}

Certificate Incumbent::certificate() const {
  return certify(*facts_.samples, facts_.components, parameters_, dual_, start_objective_, team_);
}

}  // namespace gtvmin
