#include "gtvmin/solver/contracted_solve.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "gtvmin/certify/rounding.h"
#include "gtvmin/solver/newton_work.h"

namespace gtvmin {
namespace {

/// The same partition with groups merged by a partition of them.
Partition merge_groups(const Partition& groups, const Partition& larger) {
  Partition result = groups;
  for (NodeId& g : result.group_of) g = larger.group_of[g];
  result.groups = larger.groups;
  return result;
}

/// A dual point of the whole problem: slopes and flows between groups of the contracted one, flows inside groups as in
/// `inside`. What is out of balance inside a group is routed through its edges with slack when it is made feasible.
DualPoint lifted_dual(const ProblemFacts& facts, const ContractedSolution& solution, const Matrix& inside) {
  const SampleProblem& problem = *facts.samples;
  const SampleProblem contracted = problem.contracted(solution.groups);
  DualPoint dual{inside, solution.dual.p, solution.dual.q, {}, {}, {}};
  for (EdgeId e = 0; e < facts.samples->problem().edges(); ++e) {
    const auto here = problem.image(e);
    const auto there = contracted.image(e);
    if (here.edge < 0 || there.edge < 0) continue;
    const double share = problem.kappa(here.edge) / contracted.kappa(there.edge);
    dual.u.col(here.edge) = here.sign * there.sign * share * solution.dual.u.col(there.edge);
  }
  return dual;
}

}  // namespace

Partition slack_groups(const ProblemFacts& facts, const Vector& utilisation, double slack) {
  const SampleProblem& problem = *facts.samples;
  std::vector<char> fused(problem.edges());
  for (EdgeId e = 0; e < problem.edges(); ++e) fused[e] = utilisation[e] < 1 - slack ? 1 : 0;
  return connected_groups(problem.graph(), fused);
}

std::optional<ContractedSolution> solve_contracted(const ProblemFacts& facts, const Partition& groups,
                                                   const Matrix& parameters, double scale, const SolverTuning& tuning,
                                                   ThreadTeam& team, ContractedBudget& budget) {
  const SampleProblem problem = facts.samples->contracted(groups);
  const double search = planning_work(problem);
  const double assembly = assembly_work(problem);
  const double steps = expected_steps(problem, facts.smooth_losses, tuning);
  if (budget.spent + search + steps * assembly > budget.work) return std::nullopt;
  budget.spent += search + 20 * static_cast<double>(facts.samples->edges());
  const double left = (budget.work - budget.spent) / steps - assembly;
  const auto plan = plan_newton(problem, std::min(tuning.newton_flops, left / kOperationsOfFlop),
                                std::min(tuning.newton_numbers, left / 4), budget.stop);
  if (!plan) return std::nullopt;
  const Partition components = connected_groups(problem.graph());
  Matrix w = problem.gather(parameters);
  SmoothedNewton newton(problem, *plan, w, scale, team, tuning.newton);
  ContractedSolution best;
  best.groups = groups;
  best.objective = problem.objective(w, team);
  best.relative_gap = std::numeric_limits<double>::infinity();
  const double before = budget.spent;
  double certificates = 0;
  constexpr std::int64_t kMostSteps = 80;
  std::int64_t last_gain = 0;
  for (bool done = false; !done && budget.spent < budget.work;) {
    const SmoothedNewton::Step step = newton.step(budget.stop);
    budget.spent = before + certificates + spent_work(problem, *plan, newton);
    if (step == SmoothedNewton::Step::kStopped) break;
    done = step == SmoothedNewton::Step::kStuck;
    const double size = std::abs(static_cast<double>(best.objective));
    done = done || newton.steps() >= kMostSteps;
    if (!done && newton.smoothing_error() > std::max(10 * budget.aim, 1e-12) * size) continue;
    const long double objective = problem.objective(newton.w(), team);
    if (objective <= best.objective) {
      best.objective = objective;
      w = newton.w();
    }
    certificates += certificate_work(problem);
    DualPoint dual = newton.dual();
    make_feasible(problem, components, team, dual);
    const double gap = certify(problem, components, w, dual, 0, team, /*radius=*/false).relative;
    if (gap < best.relative_gap) {
      if (gap < 0.7 * best.relative_gap) last_gain = newton.steps();
      best.relative_gap = gap;
      best.dual = std::move(dual);
    }
    constexpr std::int64_t kMostSmoothSteps = 30;
    done = done || best.relative_gap <= budget.aim || newton.steps() > last_gain + tuning.newton_stalled ||
           newton.smoothing_error() < kEpsilon * kEpsilon * size ||
           (!newton.has_kinks() && newton.steps() > kMostSmoothSteps);
  }
  best.parameters = problem.scatter(w);
  best.newton_steps = newton.steps();
  return best;
}

std::optional<ContractedSolution> complete_fusion(const ProblemFacts& facts, Incumbent& incumbent, const Matrix& flows,
                                                  double tolerance, const SolverTuning& tuning, ThreadTeam& team,
                                                  ContractedBudget& budget) {
  // The end, however it turns out.
  budget.spent += facts.certificate_work;
  const Vector utilisation = edge_utilisation(*facts.samples, flows, team);
  // How far the utilisation of a saturated edge may be from 1; larger values are tried below.
  const double noise = std::clamp(3 * incumbent.promised(), 1e-7, 1e-4);
  std::optional<ContractedSolution> best;
  NodeId groups_before = -1;
  for (const double factor : {1.0, 10.0, 100.0, 1e3, 1e4, 1e5}) {
    const double slack = std::min(factor * noise, 0.3);
    Partition groups = slack_groups(facts, utilisation, slack);
    if (groups.groups == groups_before) continue;
    groups_before = groups.groups;
    Matrix start = incumbent.parameters();
    double scale = std::max(incumbent.gap(), 1e-9 * std::abs(incumbent.objective()));
    std::optional<ContractedSolution> found;
    constexpr int kMostRounds = 8;
    for (int round = 0; round < kMostRounds; ++round) {
      auto solved = solve_contracted(facts, groups, start, scale, tuning, team, budget);
      if (!solved) break;
      found = std::move(solved);
      // Groups between which flow has slack at the contracted optimum are one.
      const SampleProblem problem = facts.samples->contracted(groups);
      if (found->dual.u.cols() != problem.edges() || problem.edges() == 0) break;
      const Vector used = edge_utilisation(problem, found->dual.u, team);
      std::vector<char> joined(problem.edges());
      const double bound = std::max(1e-7, 30 * std::sqrt(std::max(0.0, found->relative_gap)));
      for (EdgeId e = 0; e < problem.edges(); ++e) joined[e] = used[e] < 1 - bound ? 1 : 0;
      const Partition larger = connected_groups(problem.graph(), joined);
      if (larger.groups == problem.nodes()) break;
      groups = merge_groups(groups, larger);
      start = found->parameters;
      scale = std::max(1e-9 * std::abs(incumbent.objective()), found->relative_gap * std::abs(incumbent.objective()));
    }
    if (!found) break;
    const bool better = !best || found->objective < best->objective - 1e-12L * std::abs(best->objective);
    if (better) best = std::move(found);
    const auto excess = static_cast<double>(best->objective) - (incumbent.objective() - incumbent.gap());
    const bool settled =
        best->objective <= static_cast<long double>(incumbent.objective()) * (1 + 1e-13L) + 0.0L && excess >= 0;
    if (!better || (settled && factor > 1) || slack >= 0.3) break;
  }
  if (!best) return std::nullopt;
  const double gap =
      incumbent.gap() + static_cast<double>(best->objective - static_cast<long double>(incumbent.objective()));
  const double relative = incumbent.promised() * gap / std::max(incumbent.gap(), std::numeric_limits<double>::min());
  const bool has_dual = std::isfinite(best->relative_gap);
  if (!(relative <= tolerance)) {
    // The flows between groups may prove what the flows of the incumbent do not.
    incumbent.offer(best->parameters);
    if (has_dual) incumbent.offer(lifted_dual(facts, *best, flows));
    return std::nullopt;
  }
  incumbent.fuse(best->parameters);
  if (has_dual) incumbent.offer(lifted_dual(facts, *best, flows));
  return best;
}

}  // namespace gtvmin
