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

}  // namespace gtvmin::app
