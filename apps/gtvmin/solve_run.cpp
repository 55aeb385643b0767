#include "solve_run.h"

#include <cstdio>

#include "clock.h"
#include "gtvmin/io/result_directory.h"
#include "interrupt.h"
#include "progress.h"

namespace gtvmin::app {

SolveResult run_solver(const Problem& problem, const SolverOptions& options, bool progress) {
  Progress line(progress ? stderr : nullptr, options);
  const SolveContext context{.seconds = seconds_now, .observe = [&](const IterationRecord& record) {
                               line.show(record);
                               return !InterruptGuard::interrupted();
                             }};
  return solve(problem, options, context);
}

Status write_directory(const std::string& path, bool force, const NamedFiles& files) {
  Result<ResultDirectory> directory = ResultDirectory::create(path, force);
  if (!directory) {
    return directory.error();
  }
  for (const auto& [name, content] : files) {
    if (Status added = directory->add(name, content); !added) {
      return added;
    }
  }
  return directory->commit();
}

}  // namespace gtvmin::app
