#include "theory_options.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <string_view>

#include "data_source.h"
#include "local_models.h"
#include "stored_result.h"

namespace gtvmin::app {

OptionSet declare_theory_options(TheorySettings& settings) {
  OptionSet options;
  SolveSettings& input = settings.input;
  declare_training_options(
      options, input, {.needs_edges = false, .net_training = false, .nets = false, .required = false, .out = false});
  options.group("Analysis");
  options.path("clusters", settings.clusters,
               "CSV node,cluster: the partition to analyse. Default: clusters.csv of RESULT_DIR; without it, the "
               "components of the graph");
  options.flag("critical", settings.critical,
               "Also compute, per component, the least λ at which it becomes one cluster, as a certified interval");
  options.integer("threads", settings.threads, Range::between(0, 1024),
                  "--critical: number of threads; 0: one per processor");
  options.group("Output");
  options.path("out", input.out, "Directory for theory.json and its tables; written atomically. Default: none");
  options.flag("force", input.force, "Replace the files of an earlier run in --out").needs("out");
  options.flag("json", input.json, "Print theory.json to stdout and nothing else");
  return options;
}

Status apply_result_options(const TheorySettings& settings, OptionSet& options) {
  if (settings.directory.empty()) return Unit{};
  constexpr std::array<std::string_view, 6> kOwn = {"clusters", "critical", "threads", "out", "force", "json"};
  if (Status applied = apply_stored_options(settings.directory, kOwn, options); !applied) return applied;
  // Paths are relative to where the result was computed; a demo keeps its input beside its results.
  for (Option& option : options.options()) {
    if (option.type != OptionType::kPath) continue;
    const std::string path = std::get<std::string>(option.load());
    const std::string beside = settings.directory + "/" + path;
    if (path.empty() || std::filesystem::exists(path) || !std::filesystem::exists(beside)) continue;
    if (Status set = option.set(beside); !set) return set;
  }
  return Unit{};
}

Status check_theory_settings(const TheorySettings& settings) {
  const SolveSettings& input = settings.input;
  Error wrong{Error::Kind::kUsage, {}};
  if (data_source(input).empty()) {
    wrong.messages.emplace_back(
        "--data is required: the samples, e.g. --data data.csv; or RESULT_DIR, a result of gtvmin solve");
  }
  if (input.edges.empty()) {
    wrong.messages.emplace_back("--edges is required: the pairs of similar nodes, e.g. --edges edges.csv");
  }
  if (!settings.directory.empty()) {
    for (const auto& [name, path] :
         {std::pair(input.data.empty() ? "data-dir" : "data", data_source(input)), std::pair("edges", input.edges)}) {
      if (path.empty() || std::filesystem::exists(path)) continue;
      wrong.messages.push_back(fmt::format("{} was computed from {}, which is not there; say where it is now by --{}",
                                           settings.directory, path, name));
    }
  }
  if (is_neural_net(input.model.name)) {
    wrong.messages.push_back(
        fmt::format("--model {}: the loss of a neural net is not convex, and the analysis needs "
                    "convex losses",
                    input.model.name));
  }
  if (!wrong.messages.empty()) return wrong;
  return check_combinations(input);
}

}  // namespace gtvmin::app
