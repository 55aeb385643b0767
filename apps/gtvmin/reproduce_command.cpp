#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "command.h"
#include "gtvmin/base/thread_team.h"
#include "interrupt.h"
#include "reproduce/documents.h"
#include "reproduce/driver.h"
#include "reproduce/experiment_list.h"
#include "reproduce_options.h"
#include "standard_streams.h"

namespace gtvmin::app {
namespace {

int print_list() {
  const Result<std::vector<Experiment>> experiments = find_experiments("all");
  if (!experiments) return report(experiments.error());
  for (const Experiment& experiment : *experiments) {
    fmt::print("{:<18} {} ({})\n", experiment.name, experiment.title, experiment.origin);
  }
  return kSolved;
}

std::vector<Reading> wanted_readings(const ReproduceSettings& settings) {
  if (settings.as_written == settings.as_run) return {kReadings.begin(), kReadings.end()};
  return {settings.as_written ? Reading::kAsWritten : Reading::kAsRun};
}

int run_reproduce(const ReproduceSettings& settings) {
  if (const Status there = check_paper_results(settings.paper_results); !there) return report(there.error());
  Result<std::vector<Experiment>> experiments = find_experiments(settings.name);
  if (!experiments) return report(experiments.error());
  const std::vector<std::string> missing = take_out_without_data(*experiments, settings.data);
  if (!missing.empty()) {
    const std::string text = fmt::format("{}: there are no samples in {}; `experiments/mnist/prepare {}` writes them",
                                         fmt::join(missing, ", "), settings.data, settings.data);
    if (experiments->empty()) return report(usage_error(text));
    tell(stderr, "gtvmin: left out {}\n", text);
  }
  const InterruptGuard guard;
  const Result<DriverResult> result = run_experiments(*experiments, {.out = settings.out,
                                                                     .paper_results = settings.paper_results,
                                                                     .data = settings.data,
                                                                     .readings = wanted_readings(settings),
                                                                     .quick = settings.quick,
                                                                     .progress = settings.progress,
                                                                     .threads = threads_or_all(settings.threads)});
  if (!result) return report(result.error());
  if (result->interrupted) {
    tell(stderr, "gtvmin: interrupted; {} of {} cells are finished and will not be run again\n", result->finished,
         result->cells);
    return kLimit;
  }
  bool all_hold = true;
  for (const ReadingResult& reading : result->readings) {
    fmt::print("{}", summary_text(reading.summary, reading.paper, reading.checks));
    all_hold = all_hold && std::none_of(reading.checks.begin(), reading.checks.end(),
                                        [](const CheckOutcome& check) { return check.state == CheckState::kFails; });
  }
  fmt::print("tables, figures and all numbers are in {}\n", settings.out);
  return all_hold ? kSolved : kCheckFailed;
}

}  // namespace

OptionSet declare_reproduce_options(ReproduceSettings& settings) {
  OptionSet options;
  options.path("out", settings.out, "Directory for tables, figures and finished cells; a second run resumes from it")
      .required("where the results go, e.g. --out results/paper");
  options.flag("as-written", settings.as_written, "Only the settings that the text of the paper states");
  options.flag("as-run", settings.as_run, "Only the settings that produced the paper's numbers");
  options.flag("quick", settings.quick, "Fewer values and runs: a subset of the cells of the full version");
  options.path("paper-results", settings.paper_results,
               "Folder with the tables behind the paper's figures, for comparison");
  options.path("data", settings.data, "Folder of the input files of experiments; written by experiments/mnist/prepare");
  options.integer(
      "threads", settings.threads, Range::between(0, 1024),
      "Number of cells that run in parallel; 0: one per processor. Results are bit-identical for every value");
  options.flag("progress", settings.progress, "Print started cells and their expected time to stderr");
  return options;
}

void add_reproduce_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("reproduce", "Repeat the experiments of the paper and compare the numbers");
  const auto settings = std::make_shared<ReproduceSettings>();
  const auto options = std::make_shared<OptionSet>(declare_reproduce_options(*settings));
  const auto bound = std::make_shared<CommandOptions>(*options);
  command->add_option("NAME", settings->name, "Name of an experiment, FILE.toml, 'all', or 'list' to list them")
      ->required();
  bound->bind(*command);
  command->callback([&action, settings, options, bound] {
    action = [settings, options, bound] {
      if (settings->name == "list") return print_list();
      if (const Status applied = bound->apply(); !applied) return report(applied.error());
      return run_reproduce(*settings);
    };
  });
}

}  // namespace gtvmin::app
