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
  options.path("out", settings.out, "Directory for tables, figures and finished cells; a second run goes on from there")
      .required("where the results go, e.g. --out results/paper");
  options.flag("as-written", settings.as_written, "Only the reading that the text of the paper describes");
  options.flag("as-run", settings.as_run, "Only the reading with the settings that gave the paper's numbers");
  options.flag("quick", settings.quick, "Fewer values and runs; the cells that are run are those of the full version");
  options.path("paper-results", settings.paper_results,
               "Folder with the tables that the paper's figures were drawn from, to compare with");
  options.path("data", settings.data,
               "Folder of the samples that experiments take from files; experiments/mnist/prepare writes it");
  options.integer("threads", settings.threads, Range::between(0, 1024),
                  "Cells that run at the same time; 0: as many as the machine has threads. The results have the same "
                  "bits for every number");
  options.flag("progress", settings.progress, "Show on stderr which cell begins and how long it will take");
  return options;
}

void add_reproduce_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("reproduce", "Repeat the experiments of the paper and compare the numbers");
  const auto settings = std::make_shared<ReproduceSettings>();
  const auto options = std::make_shared<OptionSet>(declare_reproduce_options(*settings));
  const auto bound = std::make_shared<CommandOptions>(*options);
  command
      ->add_option("NAME", settings->name, "An experiment, FILE.toml with one, 'all', or 'list' to see what there is")
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
