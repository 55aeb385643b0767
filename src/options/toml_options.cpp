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

Status set_all(OptionSet& options, const std::string& path, const std::vector<TomlEntry>& entries) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  Error wrong{Error::Kind::kBadInput, {}};
  for (const TomlEntry& entry : entries) {
    Option* option = options.find(entry.key);
    if (option == nullptr) {
      const std::string meant = options.closest(entry.key);
      wrong.messages.push_back(fmt::format("{}:{}: unknown option '{}'{}", path, entry.line, entry.key,
                                           meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant)));
      continue;
    }
    if (const Status set = option->set(resolve(*option, entry.value, folder)); !set) {
      wrong.messages.push_back(
          fmt::format("{}:{}: '{}' {}", path, entry.line, entry.key, set.error().messages.front()));
    }
  }
  return wrong.messages.empty() ? Status(Unit{}) : Status(std::move(wrong));
}

}  // namespace

Status read_toml_options(OptionSet& options, const std::string& path) {
  const auto entries = read_toml(path);
  return entries ? set_all(options, path, *entries) : Status(entries.error());
}

Status parse_toml_options(OptionSet& options, const std::string& path, std::string_view content) {
  const auto entries = parse_toml(path, content);
  return entries ? set_all(options, path, *entries) : Status(entries.error());
}

}  // namespace gtvmin
