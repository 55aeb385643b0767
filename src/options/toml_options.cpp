#include "gtvmin/options/toml_options.h"

#include <fmt/format.h>

#include <filesystem>

#include "gtvmin/io/toml.h"

namespace gtvmin {
namespace {

OptionValue resolve(const Option& option, const OptionValue& value, const std::filesystem::path& folder) {
  const auto* text = std::get_if<std::string>(&value);
  if (option.type != OptionType::kPath || text == nullptr || text->empty()) {
    return value;
  }
  return (folder / *text).lexically_normal().string();
}

SetOptions to_settings(const std::vector<TomlEntry>& entries) {
  SetOptions settings;
  settings.reserve(entries.size());
  for (const TomlEntry& entry : entries) settings.push_back({entry.key, entry.value, entry.line});
  return settings;
}

}  // namespace

Status set_options(OptionSet& options, const std::string& path, const SetOptions& settings) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  Error wrong{Error::Kind::kBadInput, {}};
  for (const SetOption& setting : settings) {
    Option* option = options.find(setting.name);
    if (option == nullptr) {
      const std::string meant = options.closest(setting.name);
      wrong.messages.push_back(fmt::format("{}:{}: unknown option '{}'{}", path, setting.line, setting.name,
                                           meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant)));
      continue;
    }
    if (const Status set = option->set(resolve(*option, setting.value, folder)); !set) {
      wrong.messages.push_back(
          fmt::format("{}:{}: '{}' {}", path, setting.line, setting.name, set.error().messages.front()));
    }
  }
  return wrong.messages.empty() ? Status(Unit{}) : Status(std::move(wrong));
}

Status read_toml_options(OptionSet& options, const std::string& path) {
  const auto entries = read_toml(path);
  return entries ? set_options(options, path, to_settings(*entries)) : Status(entries.error());
}

Status parse_toml_options(OptionSet& options, const std::string& path, std::string_view content) {
  const auto entries = parse_toml(path, content);
  return entries ? set_options(options, path, to_settings(*entries)) : Status(entries.error());
}

}  // namespace gtvmin
