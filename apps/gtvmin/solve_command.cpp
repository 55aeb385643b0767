#include <fmt/format.h>

#include <memory>

#include "command.h"
#include "gtvmin/io/result_directory.h"
#include "gtvmin/io/result_files.h"
#include "interrupt.h"
#include "local_models.h"
#include "solve_input.h"
#include "solve_options.h"
#include "solve_report.h"
#include "solve_run.h"

namespace gtvmin::app {
namespace {

// parse → options → read → run → write → exit code; everything that can be wrong with the input is found before the
// run.
int run_solve(const SolveSettings& settings, const OptionSet& options) {
  if (const Status checked = check_combinations(settings); !checked) {
    return report(checked.error());
  }
  if (const Status writable = check_output_directory(settings.out, settings.force); !writable) {
    return report(writable.error());
  }
  Result<SolveInput> input = read_solve_input(settings);
  if (!input) {
    return report(input.error());
  }
  input->dataset.release_contents();

  const InterruptGuard guard;
  const Result<SolveResult> result = run_solver(input->problem, settings);
  if (!result) {
    return report(result.error());
  }
  const RunRecord run{.trained = {.dataset = input->dataset,
                                  .model_name = settings.model.name,
                                  .model = *input->model,
                                  .problem = input->problem,
                                  .w = result->w,
                                  .clusters = result->clusters,
                                  .method = method_name(settings.solver.method),
                                  .seed = settings.seed,
                                  .options_json = to_json(options),
                                  .standardization = input->standardization,
                                  .warnings = input->warnings},
                      .result = *result};
  NamedFiles files = result_files(run);
  if (const Status added = add_module_file(settings.net, files); !added) {
    return report(added.error());
  }
  if (const Status written = write_result_directory(settings.out, settings.force, files); !written) {
    return report(written.error());
  }
  fmt::print("{}", settings.json ? summary_json(run) : solve_report(run, settings.out));
  return result->status == SolveStatus::kSolved ? kSolved : kLimit;
}

}  // namespace

void add_solve_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("solve", "Train one model per node and certify how good the answer is");
  const auto settings = std::make_shared<SolveSettings>();
  const auto options = std::make_shared<OptionSet>(declare_solve_options(*settings));
  const auto bound = std::make_shared<CommandOptions>(*options);
  bound->bind_with_file(*command);
  command->callback([&action, settings, options, bound] {
    action = [settings, options, bound] {
      if (const Status applied = bound->apply(); !applied) {
        return report(applied.error());
      }
      apply_dependent_defaults(*options, *settings);
      return run_solve(*settings, *options);
    };
  });
}

}  // namespace gtvmin::app
