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
  return run({.seconds = seconds_now,
              .observe =
                  [&](const IterationRecord& record) {
                    line.show(record);
                    return !InterruptGuard::interrupted();
                  },
              .stop = [] { return InterruptGuard::interrupted(); }});
}

Result<SolveResult> run_solver(const Problem& problem, const SolveSettings& settings,
                               std::optional<NetworkReport>* network) {
  return observed(settings.progress, settings.solver, [&](const SolveContext& context) -> Result<SolveResult> {
    if (settings.shards == 1) {
      return solve(problem, settings.solver, context);
    }
    constexpr int kLongestDelay = 5;
    const SimulatedNetwork simulated{.shards = settings.shards,
                                     .seed = static_cast<std::uint64_t>(settings.seed),
                                     .loss = settings.network_loss,
                                     .duplication = settings.network_loss,
                                     .longest_delay = settings.network_loss > 0 ? kLongestDelay : 0};
    NetworkReport travelled;
    Result<SolveResult> result = solve_simulated(problem, settings.solver, simulated, context, &travelled);
    if (network != nullptr) *network = travelled;
    return result;
  });
}

}  // namespace gtvmin::app
