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
  // F − value is the same for every w, up to the radius: what the dual point promises.
  if (!(static_cast<long double>(certificate.dual_value) > lower_bound_) && (proved_ || has_dual_)) return false;
  bool proved = false;
  if (certificate.relative <= tolerance_) {
    certificate = at_best(/*radius=*/true);
    proved = is_bound(certificate);
    if (proved_ && (!proved || !(certificate.dual_value > lower_bound_))) return false;
  } else if (proved_) {
    return false;
  }
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
  const Certificate certificate = this->certificate();
  proved_ = is_bound(certificate);
  if (proved_) lower_bound_ = objective_ - certificate.value;
}

Certificate Incumbent::certificate() const {
  return certify(*facts_.samples, facts_.components, parameters_, dual_, start_objective_, team_);
}

}  // namespace gtvmin
