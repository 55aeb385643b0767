#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "gtvmin/solver/accelerator.h"
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
      work_ += step_work(*facts_.samples, *plan_);
      if (step == SmoothedNewton::Step::kStopped) return;
      finished_ = step == SmoothedNewton::Step::kStuck;
      const double aim = status.tolerance * std::abs(incumbent.objective());
      // The gap of a step is hardly less than what smoothing changes.
      if (newton_->smoothing_error() > kNear * aim && !finished_) continue;
      incumbent.offer(newton_->w());
      incumbent.offer(newton_->dual());
      work_ += facts_.certificate_work;
      if (incumbent.proved() <= status.tolerance) return;
      const double floor = std::numeric_limits<double>::epsilon() * std::abs(incumbent.objective());
      if (newton_->has_kinks() && newton_->smoothing_error() < floor) finished_ = true;
      if (!newton_->has_kinks() && newton_->steps() > kMostSmoothSteps) finished_ = true;
    }
    next_ = status.work + work_;
  }

 private:
  static constexpr double kNear = 10;
  static constexpr std::int64_t kMostSmoothSteps = 100;

  /// A plan is a search over the graph, whose cost message passing must have spent first.
  bool make_plan(const RunStatus& status) {
    const SampleProblem& problem = *facts_.samples;
    const double search = 300 * static_cast<double>(problem.nodes() + problem.edges());
    if (status.work < tuning_.newton_head_start * search) return false;
    work_ += search;
    plan_ = plan_newton(problem, tuning_.newton_flops, tuning_.newton_numbers, status.stop);
    finished_ = !plan_.has_value();
    return plan_.has_value();
  }
  [[nodiscard]] double predicted_cost() const {
    return expected_steps(*facts_.samples, facts_.smooth_losses, tuning_) * step_work(*facts_.samples, *plan_);
  }

  const ProblemFacts& facts_;
  const SolverTuning& tuning_;
  ThreadTeam& team_;
  std::optional<EliminationPlan> plan_;
  std::optional<SmoothedNewton> newton_;
  bool finished_ = false;
  std::int64_t steps_ = 0;
  double work_ = 0;
  double next_ = 0;  // work of message passing before which there is no further attempt
};

}  // namespace

std::unique_ptr<Accelerator> make_newton_method(const ProblemFacts& facts, const SolverTuning& tuning,
                                                ThreadTeam& team) {
  return std::make_unique<NewtonMethod>(facts, tuning, team);
}

}  // namespace gtvmin
