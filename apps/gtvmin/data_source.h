#pragma once

#include <string>
#include <vector>

namespace gtvmin::app {

/// Where the samples are, for commands that take --data or --data-dir: the file or the folder.
template <class Settings>
[[nodiscard]] const std::string& data_source(const Settings& settings) {
  return settings.data.empty() ? settings.data_dir : settings.data;
}

template <class Settings>
void check_data_source(const Settings& settings, std::vector<std::string>& messages) {
  if (!settings.data.empty() && !settings.data_dir.empty()) {
    messages.emplace_back("--data and --data-dir cannot be used together");
  }
}

}  // namespace gtvmin::app
