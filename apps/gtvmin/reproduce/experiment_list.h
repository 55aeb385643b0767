#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiment.h"

namespace gtvmin::app {

/// A file of experiments/ as it stood there when the command was built.
struct EmbeddedExperiment {
  std::string_view name;
  std::string_view content;
};
[[nodiscard]] std::span<const EmbeddedExperiment> embedded_experiments();

/// One of them, 'all' of them, or the one in a user's file `name`.toml. An unknown name is an error of usage that says
/// which one was most likely meant.
[[nodiscard]] Result<std::vector<Experiment>> find_experiments(const std::string& name);

/// Takes the experiments out whose files of samples are not below `data_folder`; their names.
[[nodiscard]] std::vector<std::string> take_out_without_data(std::vector<Experiment>& experiments,
                                                             const std::string& data_folder);

}  // namespace gtvmin::app
