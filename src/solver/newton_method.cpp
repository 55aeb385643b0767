#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "gtvmin/solver/accelerator.h"
#include "gtvmin/solver/contracted_solve.h"
#include "gtvmin/solver/newton_work.h"

namespace gtvmin {
namespace {

class NewtonMethod final : public Accelerator {
 public:
  NewtonMethod(const ProblemFacts& facts, const SolverTuning& tuning, ThreadTeam& team)
      : facts_(facts), tuning_(tuning), team_(team) {}

  [[nodiscard]] std::string_view name() const override { return "newton"; }
  [[nodiscard]] bool applies(const ProblemFacts& facts) const override {
    return facts.samples.has_value() && !facts.custom_penalty;
  }
  [[nodiscard]] std::int64_t newton_steps() const override { return steps_ + (newton_ ? newton_->steps() : 0); }
  [[nodiscard]] double work() const override { return work_; }

  /// Once message passing has had its head start, and unless it will be done sooner by itself.
  [[nodiscard]] bool due(const RunStatus& status) override {
    if (finished_ || status.work < next_) return false;
    if (!plan_ && !make_plan(status)) return false;
    const double cost = predicted_cost();
    if (status.work < tuning_.newton_head_start * cost) return false;
    return status.work_left > cost;
  }

  void propose(const RunStatus& status, Incumbent& incumbent) override {
    if (!newton_) {
      incumbent.offer(status.parameters());
      newton_.emplace(*facts_.samples, *plan_, incumbent.parameters(), std::abs(incumbent.objective()), team_,
                      tuning_.newton);
    }
    const double budget = work_ + tuning_.newton_patience * predicted_cost();
    while (work_ < budget && !finished_) {
      const SmoothedNewton::Step step = newton_->step(status.stop);
      const double spent = spent_work(*facts_.samples, *plan_, *newton_);
      work_ += spent - std::exchange(spent_, spent);
      if (step == SmoothedNewton::Step::kStopped) return;
      finished_ = step == SmoothedNewton::Step::kStuck;
      const double aim = status.tolerance * std::abs(incumbent.objective());
      // The gap of a step is hardly less than what smoothing changes.
      if (newton_->smoothing_error() > tuning_.newton_near * aim && !finished_) continue;
      incumbent.offer(newton_->w());
      incumbent.offer(newton_->dual());
      work_ += facts_.certificate_work;
      if (incumbent.proved() <= status.tolerance) return;
      if (incumbent.promised() < kProgress * least_gap_) {
        least_gap_ = incumbent.promised();
        last_gain_ = newton_->steps();
      }
      if (newton_->has_kinks() && newton_->steps() > last_gain_ + tuning_.newton_stalled) finished_ = true;
      if (!newton_->has_kinks() && newton_->steps() > kMostSmoothSteps) finished_ = true;
    }
    if (finished_ && facts_.norm && incumbent.has_dual()) polish(status, incumbent);
    next_ = status.work + work_;
  }

 private:
  /// How many steps near the end are predicted to be certified.
  static constexpr double kCertificates = 2;
  static constexpr std::int64_t kMostSmoothSteps = 100;
  /// A gap counts as smaller if it is smaller by this factor.
  static constexpr double kProgress = 0.7;

  /// Where rounding ends the progress, fused edges with their large curvature are contracted.
  void polish(const RunStatus& status, Incumbent& incumbent) {
    ContractedBudget budget{.work = std::max(work_, tuning_.fusion_work), .aim = 1e-14, .stop = status.stop};
    const auto fused = complete_fusion(facts_, incumbent, newton_->dual().u, status.tolerance, tuning_, team_, budget);
    if (fused) steps_ += fused->newton_steps;
    work_ += budget.spent;
  }

  /// A plan is a search over the graph, whose cost message passing must have spent first.
  bool make_plan(const RunStatus& status) {
    const SampleProblem& problem = *facts_.samples;
    const double search = planning_work(problem);
    if (status.work < tuning_.newton_head_start * search) return false;
    work_ += search;
    plan_ = plan_newton(problem, tuning_.newton_flops, tuning_.newton_numbers, status.stop);
    finished_ = !plan_.has_value();
    return plan_.has_value();
  }
  [[nodiscard]] double predicted_cost() const {
    return expected_steps(*facts_.samples, facts_.smooth_losses, tuning_) * step_work(*facts_.samples, *plan_) +
           kCertificates * facts_.certificate_work;
  }

  const ProblemFacts& facts_;
  const SolverTuning& tuning_;
  ThreadTeam& team_;
  std::optional<EliminationPlan> plan_;
  std::optional<SmoothedNewton> newton_;
  bool finished_ = false;
  std::int64_t steps_ = 0;
  double work_ = 0;
  double spent_ = 0;  // by the steps
  double least_gap_ = std::numeric_limits<double>::infinity();
  std::int64_t last_gain_ = 0;
  double next_ = 0;  // work of message passing before which there is no further attempt
};

}  // namespace

std::unique_ptr<Accelerator> make_newton_method(const ProblemFacts& facts, const SolverTuning& tuning,
                                                ThreadTeam& team) {
  return std::make_unique<NewtonMethod>(facts, tuning, team);
}

}  // namespace gtvmin
