#include "gtvmin/solver/newton_work.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

namespace gtvmin {

double planning_work(const SampleProblem& problem) {
  return 300 * static_cast<double>(problem.nodes() + problem.edges());
}

std::optional<EliminationPlan> plan_newton(const SampleProblem& problem, double flops, double numbers,
                                           const std::function<bool()>& stop) {
  std::vector<NodeId> heads(problem.edges());
  std::vector<NodeId> tails(problem.edges());
  for (EdgeId e = 0; e < problem.edges(); ++e) {
    heads[e] = problem.graph().head(e);
    tails[e] = problem.graph().tail(e);
  }
  auto plan = EliminationPlan::make(problem.nodes(), heads, tails, problem.dimension(), {flops, numbers}, stop);
  if (auto* made = std::get_if<EliminationPlan>(&plan)) return std::move(*made);
  return std::nullopt;
}

double assembly_work(const SampleProblem& problem) {
  const auto all = static_cast<double>(problem.dimension());
  const auto samples = static_cast<double>(problem.samples());
  const auto blocks = static_cast<double>(problem.edges() + problem.nodes());
  return samples * (60 + all * (8 + all)) + blocks * (150 + all * (20 + 4 * all));
}

double step_work(const SampleProblem& problem, const EliminationPlan& plan) {
  return assembly_work(problem) + kOperationsOfFlop * plan.flops() + 4 * plan.numbers();
}

double evaluation_work(const SampleProblem& problem) {
  return 25 * static_cast<double>(problem.samples()) +
         (30 + 10 * static_cast<double>(problem.coupled_dimension())) * static_cast<double>(problem.edges());
}

double spent_work(const SampleProblem& problem, const EliminationPlan& plan, const SmoothedNewton& newton) {
  const auto further = static_cast<double>(std::max<std::int64_t>(0, newton.evaluations() - 2 * newton.steps()));
  return static_cast<double>(newton.steps()) * step_work(problem, plan) + further * evaluation_work(problem);
}

double certificate_work(const SampleProblem& problem) {
  const auto all = static_cast<double>(problem.dimension());
  const auto d = static_cast<double>(problem.coupled_dimension());
  return 250 * all * static_cast<double>(problem.samples()) +
         (400 + 200 * d) * static_cast<double>(problem.edges() + problem.nodes());
}

double expected_steps(const SampleProblem& problem, bool smooth_losses, const SolverTuning& tuning) {
  if (!is_norm(problem.penalty()) && smooth_losses) return tuning.newton_steps_smooth;
  const bool linf = std::holds_alternative<LinfPenalty>(problem.penalty()) && problem.coupled_dimension() > 1;
  return linf ? tuning.newton_steps_linf : tuning.newton_steps_kinks;
}

}  // namespace gtvmin
