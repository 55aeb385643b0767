#include "gtvmin/solver/second_order_gear.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "gtvmin/certify/certify.h"
#include "gtvmin/second_order/block_system.h"
#include "gtvmin/second_order/contraction.h"
#include "gtvmin/second_order/newton.h"

namespace gtvmin {
namespace {

constexpr double kUsualSteps = 20;  // of Newton's method
constexpr std::int64_t kMostPolishSteps = 60;
constexpr double kFreeWork = 2e7;  // operations that are not worth weighing

/// How many operations of a factorisation take the time that a sweep takes for a number: blocks of few numbers do not
/// fill the registers.
double work_per_number(Index dimension) { return std::clamp(static_cast<double>(dimension), 2.0, 8.0); }

}  // namespace

SecondOrderGear::SecondOrderGear(const Problem& problem, const SolverOptions& options, ThreadTeam& team)
    : problem_(problem),
      options_(options),
      team_(team),
      available_(options.method == Method::kAdaptive && options.polish && has_curvature(problem)) {}

void SecondOrderGear::polish(const Matrix& w, const Matrix& u, std::int64_t iterations, double iterations_left,
                             const std::function<bool(Polished)>& accept) {
  const CertifyEffort effort = worthwhile_effort(problem_, options_.tolerance, iterations, &team_);
  const auto try_groups = [&](Partition groups) {
    const double step_work = affordable_step(groups, iterations, iterations_left);
    if (step_work == 0) return false;
    Polished polished = gtvmin::polish(problem_, w, u, std::move(groups), kMostPolishSteps, effort);
    newton_steps_ += polished.newton_steps;
    work_ += static_cast<double>(polished.newton_steps) * step_work;
    return accept(std::move(polished));
  };
  Partition suggested = groups_with_room(problem_, u);
  const bool all_alone = suggested.groups == problem_.nodes();
  if (try_groups(std::move(suggested)) || all_alone) return;
  try_groups(connected_groups(problem_.graph(), std::vector<char>(problem_.edges(), 0)));
}

double SecondOrderGear::affordable_step(const Partition& groups, std::int64_t iterations,
                                        double iterations_left) const {
  const auto d = static_cast<double>(problem_.dimension());
  const double edges = problem_.edges();
  // Beside the flows of the problem itself the blocks of a Newton step must be small.
  if (d * d * groups.groups > std::max(2e6, d * edges / 4)) return 0;
  const double iteration = work_per_number(problem_.dimension()) * d * (edges + 2.0 * problem_.nodes());
  const double spent = static_cast<double>(iterations) * iteration;
  const double budget = kFreeWork + std::min(spent - work_, iterations_left * iteration);
  if (kUsualSteps * BlockSystem::least_work(groups.groups, problem_.dimension()) > budget) return 0;
  const double step_work = newton_step_work(Contraction(problem_, groups));
  return kUsualSteps * step_work <= budget ? step_work : 0;
}

}  // namespace gtvmin
