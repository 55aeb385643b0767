#include <algorithm>
#include <cmath>
#include <utility>

#include "gtvmin/certify/fit_slopes.h"
#include "gtvmin/solver/accelerator.h"
#include "gtvmin/solver/contracted_solve.h"

namespace gtvmin {
namespace {

class Contraction final : public Accelerator {
 public:
  Contraction(const ProblemFacts& facts, const SolverTuning& tuning, ThreadTeam& team)
      : facts_(facts), tuning_(tuning), team_(team) {}

  [[nodiscard]] std::string_view name() const override { return "contraction"; }
  [[nodiscard]] bool applies(const ProblemFacts& facts) const override {
    return facts.samples.has_value() && facts.norm;
  }
  [[nodiscard]] std::int64_t newton_steps() const override { return steps_; }
  [[nodiscard]] double work() const override { return work_; }

  [[nodiscard]] bool due(const RunStatus& status) override {
    if (status.iteration < next_) return false;
    const double allowed = tuning_.contraction_share * status.work - work_;
    return allowed > kLeastIterations * facts_.iteration_work + facts_.certificate_work;
  }

  void propose(const RunStatus& status, Incumbent& incumbent) override {
    next_ = static_cast<std::int64_t>(std::ceil(tuning_.contraction_interval * static_cast<double>(status.iteration)));
    const Matrix flows = status.flows();
    const Vector utilisation = edge_utilisation(*facts_.samples, flows, team_);
    const Matrix parameters = status.parameters();
    ContractedBudget budget{
        .work = tuning_.contraction_share * status.work - work_, .aim = 0.1 * status.tolerance, .stop = status.stop};
    const Partition groups = slack_groups(facts_, utilisation, tuning_.contraction_slack);
    const double scale = std::max(incumbent.gap(), status.tolerance * std::abs(incumbent.objective()));
    const auto found =
        solve_contracted(facts_, groups, parameters, std::isfinite(scale) ? scale : 1, tuning_, team_, budget);
    work_ += budget.spent + facts_.certificate_work;
    if (!found) return;
    steps_ += found->newton_steps;
    const bool settled = std::abs(found->objective - last_objective_) <= 1e-15L * std::abs(found->objective);
    last_objective_ = found->objective;
    if (settled) next_ = 2 * status.iteration;
    if (!incumbent.offer(found->parameters) && incumbent.has_dual() && settled) return;
    // Flows of the iterate prove more about the contracted optimum than about the iterate.
    incumbent.offer(fit_dual(*facts_.samples, incumbent.parameters(), flows, team_));
  }

 private:
  static constexpr double kLeastIterations = 3;

  const ProblemFacts& facts_;
  const SolverTuning& tuning_;
  ThreadTeam& team_;
  std::int64_t next_ = 20;
  std::int64_t steps_ = 0;
  double work_ = 0;
  long double last_objective_ = 0;
};

}  // namespace

std::unique_ptr<Accelerator> make_contraction(const ProblemFacts& facts, const SolverTuning& tuning, ThreadTeam& team) {
  return std::make_unique<Contraction>(facts, tuning, team);
}

}  // namespace gtvmin
