#include "gtvmin/io/toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "gtvmin/io/input_problems.h"
#include "gtvmin/io/text_file.h"
#include "toml_parser.h"

namespace gtvmin {

namespace {

std::optional<TomlValue> to_value(const toml::node& node) {
  if (const auto* boolean = node.as_boolean()) return boolean->get();
  if (const auto* integer = node.as_integer()) return integer->get();
  if (const auto* number = node.as_floating_point()) return number->get();
  if (const auto* text = node.as_string()) return text->get();
  const auto* array = node.as_array();
  if (array == nullptr) return std::nullopt;
  std::vector<std::string> texts;
  for (const toml::node& element : *array) {
    const auto* text = element.as_string();
    if (text == nullptr) return std::nullopt;
    texts.push_back(text->get());
  }
  return texts;
}

std::string_view describe(const toml::node& node) {
  if (node.is_table() || node.is_array_of_tables()) return "a table; options must be at the top level";
  if (node.is_array()) return "an array that does not hold strings only";
  return "a date or a time";
}

}  // namespace

Result<std::vector<TomlEntry>> read_toml(const std::string& path) {
  const Result<TextFile> file = TextFile::open(path);
  if (!file) return file.error();
  return parse_toml(path, file->content());
}

Result<std::vector<TomlEntry>> parse_toml(const std::string& name, std::string_view content) {
  InputProblems problems(name);
  const toml::parse_result parsed = toml::parse(content);
  if (!parsed) {
    problems.add(parsed.error().source().begin.line, printable(parsed.error().description(), kTomlMessageBytes));
    return problems.to_error();
  }
  std::vector<TomlEntry> entries;
  for (const auto& [key, node] : parsed.table()) {
    const toml::source_position at = key.source().begin;
    if (auto value = to_value(node)) {
      entries.push_back({std::string(key.str()), *std::move(value), at.line});
    } else {
      problems.add(at.line, fmt::format("{} is {}", shown(key.str()), describe(node)));
    }
  }
  if (!problems.empty()) return problems.to_error();
  // A key and its value share a line, and every key has its own.
  std::sort(entries.begin(), entries.end(), [](const TomlEntry& a, const TomlEntry& b) { return a.line < b.line; });
  return entries;
}

}  // namespace gtvmin
