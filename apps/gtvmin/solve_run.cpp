#include "solve_run.h"

#include <cstdio>

#include "clock.h"
#include "gtvmin/runtime/simulated_exchange.h"
#include "interrupt.h"
#include "progress.h"

namespace gtvmin::app {

Result<SolveResult> observed(bool progress, const SolverOptions& options,
                             const std::function<Result<SolveResult>(const SolveContext&)>& run) {
  Progress line(progress ? stderr : nullptr, options);
  return run({.seconds = seconds_now, .observe = [&](const IterationRecord& record) {
                line.show(record);
                return !InterruptGuard::interrupted();
              }});
}

Result<SolveResult> run_solver(const Problem& problem, const SolveSettings& settings) {
  return observed(settings.progress, settings.solver, [&](const SolveContext& context) -> Result<SolveResult> {
    if (settings.shards == 1) {
      return solve(problem, settings.solver, context);
    }
    const SimulatedNetwork network{.shards = settings.shards, .seed = static_cast<std::uint64_t>(settings.seed)};
    return solve_simulated(problem, settings.solver, network, context);
  });
}

}  // namespace gtvmin::app
