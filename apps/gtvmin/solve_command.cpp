#include <fmt/format.h>

#include <memory>

#include "command.h"
#include "gtvmin/io/dataset_reader.h"
#include "gtvmin/io/result_directory.h"
#include "gtvmin/io/result_files.h"
#include "gtvmin/io/table.h"
#include "gtvmin/problem/standardize.h"
#include "interrupt.h"
#include "solve_options.h"
#include "solve_report.h"
#include "solve_run.h"

namespace gtvmin::app {
namespace {

Result<Penalty> read_penalty(const SolveSettings& settings) {
  if (settings.quadratic_matrix.empty()) {
    return make_penalty(settings.penalty);
  }
  const Result<Matrix> q = read_matrix(settings.quadratic_matrix);
  if (!q) {
    return q.error();
  }
  Result<Penalty> penalty = make_penalty(settings.penalty, *q);
  return penalty ? std::move(penalty) : Result<Penalty>(in_file(settings.quadratic_matrix, penalty.error()));
}

// parse → options → read → run → write → exit code; everything that can be wrong with the input is found before the
// run.
int run_solve(const SolveSettings& settings, const OptionSet& options) {
  if (const Status checked = check_combinations(settings); !checked) {
    return report(checked.error());
  }
  if (const Status writable = check_output_directory(settings.out, settings.force); !writable) {
    return report(writable.error());
  }
  Result<Penalty> penalty = read_penalty(settings);
  if (!penalty) {
    return report(penalty.error());
  }
  Result<Dataset> dataset =
      read_dataset(settings.data, settings.edges, settings.columns, label_domain(settings.model.name));
  if (!dataset) {
    return report(dataset.error());
  }
  std::optional<Standardization> standardization;
  if (settings.standardize) {
    standardization = standardize_features(*dataset);
  }
  const Result<Problem> problem = make_problem(*dataset, settings.model, *std::move(penalty), settings.lambda);
  if (!problem) {
    return report(in_file(settings.data, problem.error()));
  }
  dataset->release_contents();

  const InterruptGuard guard;
  const Result<SolveResult> result = run_solver(*problem, settings);
  if (!result) {
    return report(result.error());
  }
  const RunRecord run{.dataset = *dataset,
                      .model = settings.model,
                      .problem = *problem,
                      .result = *result,
                      .method = method_name(settings.solver.method),
                      .seed = settings.seed,
                      .options_json = to_json(options),
                      .standardization = standardization,
                      .warnings = input_warnings(*dataset, problem->graph(), standardization)};
  if (const Status written = write_directory(settings.out, settings.force, result_files(run)); !written) {
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
      apply_method_defaults(*options, *settings);
      return run_solve(*settings, *options);
    };
  });
}

}  // namespace gtvmin::app
