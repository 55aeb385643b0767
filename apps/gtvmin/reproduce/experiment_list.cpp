#include "experiment_list.h"

#include <fmt/format.h>

#include <filesystem>

#include "gtvmin/io/text_file.h"

namespace gtvmin::app {
namespace {

Error unknown(const std::string& name) {
  std::vector<std::string> names = {"all", "list"};
  for (const EmbeddedExperiment& experiment : embedded_experiments()) names.emplace_back(experiment.name);
  const std::string meant = closest_name(name, names);
  return usage_error(fmt::format("there is no experiment '{}'{}; `gtvmin reproduce list` shows all", name,
                                 meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant)));
}

}  // namespace

Result<std::vector<Experiment>> find_experiments(const std::string& name) {
  std::vector<Experiment> found;
  const auto add = [&](const std::string& file, std::string_view content) -> Status {
    Result<Experiment> experiment = parse_experiment(file, content);
    if (!experiment) return experiment.error();
    found.push_back(*std::move(experiment));
    return Unit{};
  };
  if (name.ends_with(".toml")) {
    const Result<TextFile> file = TextFile::open(name);
    if (!file) return file.error();
    if (const Status added = add(name, file->content()); !added) return added.error();
    return found;
  }
  for (const EmbeddedExperiment& experiment : embedded_experiments()) {
    if (name != "all" && name != experiment.name) continue;
    const Status added = add(fmt::format("experiments/{}.toml", experiment.name), experiment.content);
    if (!added) return added.error();
  }
  if (found.empty()) return unknown(name);
  return found;
}

std::vector<std::string> take_out_without_data(std::vector<Experiment>& experiments, const std::string& data_folder) {
  std::vector<std::string> names;
  std::erase_if(experiments, [&](const Experiment& experiment) {
    if (!experiment.files) return false;
    std::error_code unknown;
    const std::string path = fmt::format("{}/{}/data.csv", data_folder, experiment.files->folder);
    const bool missing = !std::filesystem::exists(path, unknown);
    if (missing) names.push_back(experiment.name);
    return missing;
  });
  return names;
}

}  // namespace gtvmin::app
