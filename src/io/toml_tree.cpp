#include "gtvmin/io/toml_tree.h"

#include <algorithm>

#include "gtvmin/io/input_problems.h"
#include "toml_parser.h"

namespace gtvmin {
namespace {

TomlNode::Table to_table(const toml::table& table, InputProblems& problems);

TomlNode to_node(const toml::node& node, std::int64_t line, InputProblems& problems) {
  if (const auto* boolean = node.as_boolean()) return {boolean->get(), line};
  if (const auto* integer = node.as_integer()) return {integer->get(), line};
  if (const auto* number = node.as_floating_point()) return {number->get(), line};
  if (const auto* text = node.as_string()) return {text->get(), line};
  if (const auto* table = node.as_table()) return {to_table(*table, problems), line};
  if (const auto* array = node.as_array()) {
    TomlNode::Array elements;
    elements.reserve(array->size());
    for (const toml::node& element : *array) {
      elements.push_back(to_node(element, element.source().begin.line, problems));
    }
    return {std::move(elements), line};
  }
  problems.add(line, "dates and times have no meaning here");
  return {false, line};
}

TomlNode::Table to_table(const toml::table& table, InputProblems& problems) {
  TomlNode::Table entries;
  entries.reserve(table.size());
  std::vector<toml::source_position> places;
  places.reserve(table.size());
  for (const auto& [key, node] : table) {
    const toml::source_position at = key.source().begin;
    const auto before = std::upper_bound(places.begin(), places.end(), at);
    entries.insert(entries.begin() + (before - places.begin()),
                   {std::string(key.str()), to_node(node, at.line, problems)});
    places.insert(before, at);
  }
  return entries;
}

}  // namespace

Result<TomlNode::Table> parse_toml_tree(const std::string& name, std::string_view content) {
  InputProblems problems(name);
  const toml::parse_result parsed = toml::parse(content);
  if (!parsed) {
    problems.add(parsed.error().source().begin.line, printable(parsed.error().description(), kTomlMessageBytes));
    return problems.to_error();
  }
  TomlNode::Table tree = to_table(parsed.table(), problems);
  if (!problems.empty()) return problems.to_error();
  return tree;
}

}  // namespace gtvmin
