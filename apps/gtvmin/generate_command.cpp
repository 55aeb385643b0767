#include <fmt/format.h>

#include <memory>

#include "command.h"
#include "generate_files.h"
#include "generate_options.h"
#include "gtvmin/io/result_directory.h"
#include "interrupt.h"

namespace gtvmin::app {
namespace {

int run_generate(const GraphKind& kind, GenerateSettings& settings, OptionSet& options) {
  if (const Status writable = check_output_directory(settings.out, settings.force, kGenerateMarker); !writable) {
    return report(writable.error());
  }
  const Result<GeneratedGraph> graph = kind.make(settings);
  if (!graph) return report(as_options(graph.error()));
  replace_unfit_default_truth(settings, options, graph->clusters.groups);
  const Result<SyntheticParameters> parameters = synthetic_parameters(settings, options);
  if (!parameters) return report(parameters.error());
  const auto data = make_synthetic_data(*graph, *parameters, static_cast<std::uint64_t>(settings.seed));
  if (!data) return report(as_options(data.error()));
  const NamedFiles files = generate_files(kind.name, *data, options);
  WritingGuard writing;
  const Status written = write_result_directory(settings.out, settings.force, files, kGenerateMarker, writing.stop());
  if (!written) return report(written.error());
  fmt::print("{}", generate_report(*data, settings.out));
  return kSolved;
}

}  // namespace

void add_generate_command(CLI::App& app, Action& action) {
  CLI::App* generate = app.add_subcommand("generate", "Generate a synthetic problem with known true parameters");
  generate->require_subcommand(1);
  for (const GraphKind& kind : graph_kinds()) {
    CLI::App* command = generate->add_subcommand(kind.name, kind.help);
    const auto settings = std::make_shared<GenerateSettings>();
    const auto options = std::make_shared<OptionSet>(declare_generate_options(kind, *settings));
    const auto bound = std::make_shared<CommandOptions>(*options);
    bound->bind(*command);
    command->callback([&action, &kind, settings, options, bound] {
      action = [&kind, settings, options, bound] {
        if (const Status applied = bound->apply(); !applied) return report(applied.error());
        return run_generate(kind, *settings, *options);
      };
    });
  }
}

}  // namespace gtvmin::app
