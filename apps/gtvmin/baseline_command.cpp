#include <fmt/format.h>

#include <memory>

#include "baseline_options.h"
#include "baseline_report.h"
#include "clock.h"
#include "command.h"
#include "data_source.h"
#include "gtvmin/io/baseline_files.h"
#include "gtvmin/io/result_directory.h"
#include "interrupt.h"
#include "local_models.h"
#include "solve_input.h"
#include "stage_progress.h"
#include "stored_result.h"

namespace gtvmin::app {
namespace {

int run_command(const Baseline& baseline, const BaselineSettings& settings, const OptionSet& options) {
  const SolveSettings& common = settings.input;
  if (const Status checked = check_combinations(common); !checked) return report(checked.error());
  if (const Status writable = check_output_directory(common.out, common.force); !writable) {
    return report(writable.error());
  }
  const InterruptGuard guard;
  const Result<SolveInput> input = read_solve_input(common);
  if (!input) return report(input.error());
  const auto clusters = read_known_clusters(settings.clusters, {data_source(common), input->dataset.node_names});
  if (!clusters) return report(clusters.error());

  StageProgress line(common.progress ? stderr : nullptr);
  BaselineContext context{.seconds = seconds_now, .observe = {}, .interrupted = InterruptGuard::interrupted};
  context.observe = [&](const RoundRecord& record, const Matrix&) {
    if (record.round > 0) line.show({"round", record.round, settings.options.rounds});
    return true;
  };
  const double began = seconds_now();
  const Result<BaselineResult> result = run_baseline(baseline,
                                                     {.problem = input->problem,
                                                      .dataset = &input->dataset,
                                                      .model = input->model.get(),
                                                      .clusters = *clusters ? &**clusters : nullptr},
                                                     settings.options, context);
  line.clear();
  if (!result) return report(result.error());
  const Matrix parameters = all_parameters(input->problem, result->w);
  const BaselineRecord run{.trained = {.dataset = input->dataset,
                                       .model_name = common.model.name,
                                       .model = *input->model,
                                       .problem = input->problem,
                                       .parameters = parameters,
                                       .clusters = result->clusters,
                                       .method = baseline.name,
                                       .seed = settings.seed,
                                       .options_json = to_json(options),
                                       .standardization = input->standardization,
                                       .warnings = input->warnings},
                           .result = *result,
                           .seconds = seconds_now() - began};
  NamedFiles files = baseline_files(run);
  if (const Status added = add_module_file(common.net, files); !added) return report(added.error());
  WritingGuard writing;
  const Status written = write_result_directory(common.out, common.force, files, kResultMarker, writing.stop());
  if (!written) return report(written.error());
  fmt::print("{}", common.json ? baseline_json(run) : baseline_report(baseline, run, common.out));
  return result->interrupted || result->diverged ? kLimit : kSolved;
}

}  // namespace

void add_baseline_command(CLI::App& app, Action& action) {
  CLI::App* parent = app.add_subcommand("baseline", "Train by another method, for comparison");
  parent->require_subcommand(1);
  for (const Baseline& baseline : baselines()) {
    CLI::App* command = parent->add_subcommand(baseline.name, baseline.help);
    const auto settings = std::make_shared<BaselineSettings>();
    const auto options = std::make_shared<OptionSet>(declare_baseline_options(baseline, *settings));
    const auto bound = std::make_shared<CommandOptions>(*options);
    bound->bind_with_file(*command);
    command->callback([&action, &baseline, settings, options, bound] {
      action = [&baseline, settings, options, bound] {
        if (const Status applied = bound->apply(); !applied) return report(applied.error());
        apply_dependent_defaults(*options, *settings);
        if (const Status fits = check_method_options(baseline, *options, *settings); !fits) return report(fits.error());
        return run_command(baseline, *settings, *options);
      };
    });
  }
}

}  // namespace gtvmin::app
