#include <fmt/format.h>

#include <memory>
#include <optional>

#include "clock.h"
#include "command.h"
#include "gtvmin/base/thread_team.h"
#include "interrupt.h"
#include "theory_files.h"
#include "theory_input.h"
#include "theory_options.h"
#include "theory_report.h"

namespace gtvmin::app {
namespace {

int run_theory(const TheorySettings& settings) {
  if (const Status checked = check_theory_settings(settings); !checked) return report(checked.error());
  const std::string& out = settings.input.out;
  if (!out.empty()) {
    const Status writable = check_output_directory(out, settings.input.force, kTheoryMarker);
    if (!writable) return report(writable.error());
  }
  const InterruptGuard guard;
  const double began = seconds_now();
  const Result<TheoryInput> input = read_theory_input(settings);
  if (!input) return report(input.error());
  const Problem& problem = input->problem.problem;
  const Result<ProblemAnalysis> analysis =
      analyse(problem, input->clusters, {.lambda = settings.input.lambda}, InterruptGuard::interrupted);
  if (!analysis) return report(analysis.error());
  std::optional<std::vector<CriticalLambda>> critical;
  if (settings.critical) {
    Result<std::vector<CriticalLambda>> found =
        critical_lambda(problem, {.threads = settings.threads}, InterruptGuard::interrupted);
    if (!found) return report(found.error());
    critical = *std::move(found);
  }
  const TheoryRecord record{.settings = settings,
                            .input = *input,
                            .analysis = *analysis,
                            .critical = critical ? &*critical : nullptr,
                            .seconds = seconds_now() - began};
  if (!out.empty()) {
    WritingGuard writing;
    const Status written =
        write_result_directory(out, settings.input.force, theory_files(record), kTheoryMarker, writing.stop());
    if (!written) return report(written.error());
  }
  fmt::print("{}", settings.input.json ? theory_json(record) : theory_text(record));
  return kSolved;
}

}  // namespace

void add_theory_command(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("theory", "For which λ clusters are provably recovered, and what prevents it elsewhere");
  const auto settings = std::make_shared<TheorySettings>();
  const auto options = std::make_shared<OptionSet>(declare_theory_options(*settings));
  const auto bound = std::make_shared<CommandOptions>(*options);
  command->add_option("RESULT_DIR", settings->directory,
                      "Result directory written by gtvmin solve; gives the options of its problem, its λ and clusters");
  bound->bind(*command);
  command->callback([&action, settings, options, bound] {
    action = [settings, options, bound] {
      if (const Status stored = apply_result_options(*settings, *options); !stored) return report(stored.error());
      if (const Status applied = bound->apply(); !applied) return report(applied.error());
      apply_model_defaults(*options, settings->input);
      return run_theory(*settings);
    };
  });
}

}  // namespace gtvmin::app
