#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "command.h"
#include "gtvmin/base/thread_team.h"
#include "gtvmin/io/result_directory.h"
#include "gtvmin/io/result_files.h"
#include "gtvmin/theory/influence.h"
#include "interrupt.h"
#include "local_models.h"
#include "solve_cluster.h"
#include "solve_input.h"
#include "solve_options.h"
#include "solve_report.h"
#include "solve_run.h"

namespace gtvmin::app {
namespace {

NamedCounts named_counts(const NetworkReport& network) {
  return {{"messages", network.messages},
          {"sums", network.sums},
          {"retransmissions", network.retransmissions},
          {"ignored", network.ignored},
          {"bytes", network.bytes}};
}

/// Writes the files and the report; the exit code.
int finish(const SolveSettings& settings, const OptionSet& options, const SolveInput& input, const SolveResult& result,
           Vector influence, const std::optional<NetworkReport>& network = {}) {
  const RunRecord run{
      .trained = {.dataset = input.dataset,
                  .model_name = settings.model.name,
                  .model = *input.model,
                  .problem = input.problem,
                  .parameters = result.parameters,
                  .clusters = result.clusters,
                  .method = method_name(settings.solver.method),
                  .seed = settings.seed,
                  .options_json = to_json(options),
                  .standardization = input.standardization,
                  .warnings = input.warnings},
      .result = result,
      .write_flows = std::find(settings.write.begin(), settings.write.end(), "flows") != settings.write.end(),
      .network = network ? named_counts(*network) : NamedCounts{},
      .influence = std::move(influence)};
  WritingGuard writing;
  Result<NamedFiles> files = result_files(run, writing.stop());
  if (!files) {
    return report(files.error());
  }
  if (const Status added = add_module_file(settings.net, *files); !added) {
    return report(added.error());
  }
  const Status written = write_result_directory(settings.out, settings.force, *files, kResultMarker, writing.stop());
  if (!written) {
    return report(written.error());
  }
  fmt::print("{}", settings.json ? summary_json(run) : solve_report(run, settings.out));
  return result.status == SolveStatus::kSolved ? kSolved : kLimit;
}

int run_alone(const SolveSettings& settings, const OptionSet& options) {
  const InterruptGuard guard;
  if (const Status writable = check_output_directory(settings.out, settings.force); !writable) {
    return report(writable.error());
  }
  Result<SolveInput> input = read_solve_input(settings);
  if (!input) {
    return report(input.error());
  }
  input->dataset.release_contents();

  std::optional<NetworkReport> network;
  const Result<SolveResult> result = run_solver(input->problem, settings, &network);
  if (!result) {
    return report(result.error());
  }
  ThreadTeam team(threads_or_all(settings.solver.threads));
  return finish(settings, options, *input, *result, influence_bounds(input->problem, team), network);
}

/// One process of several, or a run that is saved. Rank 0 speaks for all.
int run_on_cluster(const SolveSettings& settings, const OptionSet& options) {
  const Result<std::unique_ptr<Cluster>> cluster = join(settings.engine);
  if (!cluster) {
    return report(cluster.error());
  }
  const InterruptGuard guard;
  const Result<ClusterOutcome> outcome = solve_on_cluster(**cluster, settings, options);
  if ((*cluster)->rank() != 0) {
    return kSolved;
  }
  return outcome ? finish(settings, options, outcome->input, outcome->result, outcome->influence)
                 : report(outcome.error());
}

// parse → options → read → run → write → exit code; everything that can be wrong with the input is found before the
// run.
int run_solve(const SolveSettings& settings, const OptionSet& options) {
  if (const Status checked = check_combinations(settings); !checked) {
    return report(checked.error());
  }
  const bool alone = settings.engine == Engine::kSelf && settings.checkpoint.empty();
  return alone ? run_alone(settings, options) : run_on_cluster(settings, options);
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
