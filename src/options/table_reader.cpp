#include "gtvmin/options/table_reader.h"

#include <fmt/format.h>

#include <algorithm>

namespace gtvmin {
namespace {

/// Of a key that stands in the file.
constexpr std::size_t kShownBytes = 40;

template <class T>
bool is(const TomlNode& node) {
  return node.get_if<T>() != nullptr;
}

bool is_number(const TomlNode& node) { return is<double>(node) || is<std::int64_t>(node); }

double to_number(const TomlNode& node) {
  const auto* whole = node.get_if<std::int64_t>();
  return whole != nullptr ? static_cast<double>(*whole) : *node.get_if<double>();
}

bool is_numbers(const TomlNode& node) {
  const auto* array = node.get_if<TomlNode::Array>();
  return is_number(node) || (array != nullptr && std::all_of(array->begin(), array->end(), is_number));
}

bool is_texts(const TomlNode& node) {
  const auto* array = node.get_if<TomlNode::Array>();
  return is<std::string>(node) || (array != nullptr && std::all_of(array->begin(), array->end(), is<std::string>));
}

bool is_tables(const TomlNode& node) {
  const auto* array = node.get_if<TomlNode::Array>();
  return is<TomlNode::Table>(node) ||
         (array != nullptr && std::all_of(array->begin(), array->end(), is<TomlNode::Table>));
}

std::optional<std::string> entry_text(const TomlNode& node) {
  if (const auto* text = node.get_if<std::string>()) return *text;
  if (const auto* whole = node.get_if<std::int64_t>()) return fmt::format("{}", *whole);
  if (const auto* real = node.get_if<double>()) return fmt::format("{}", *real);
  return std::nullopt;
}

std::optional<OptionValue> to_value(const TomlNode& node) {
  if (const auto* on = node.get_if<bool>()) return *on;
  if (const auto* whole = node.get_if<std::int64_t>()) return *whole;
  if (const auto* real = node.get_if<double>()) return *real;
  if (const auto* text = node.get_if<std::string>()) return *text;
  const auto* array = node.get_if<TomlNode::Array>();
  if (array == nullptr) return std::nullopt;
  std::vector<std::string> texts;
  texts.reserve(array->size());
  for (const TomlNode& element : *array) {
    std::optional<std::string> text = entry_text(element);
    if (!text) return std::nullopt;
    texts.push_back(*std::move(text));
  }
  return texts;
}

/// All entries of a table as options; arrays hold texts or numbers.
SetOptions to_options(const TomlNode::Table& table, InputProblems& problems) {
  SetOptions options;
  options.reserve(table.size());
  for (const auto& [key, node] : table) {
    if (auto value = to_value(node)) {
      options.push_back({key, *std::move(value), node.line});
    } else {
      problems.add(node.line, fmt::format("'{}' is not a valid option value", printable(key, kShownBytes)));
    }
  }
  return options;
}

}  // namespace

const TomlNode* TableReader::find(std::string_view key) const {
  for (const auto& [name, node] : *table_) {
    if (name == key) return &node;
  }
  return nullptr;
}

std::int64_t TableReader::line_of(std::string_view key) const {
  const TomlNode* found = find(key);
  return found != nullptr ? found->line : line_;
}

const TomlNode* TableReader::node(std::string_view key, std::string_view wanted, bool fits(const TomlNode&)) {
  asked_.emplace_back(key);
  const TomlNode* node = find(key);
  if (node != nullptr && !fits(*node)) {
    problems_->add(node->line, fmt::format("'{}' needs {}", key, wanted));
    return nullptr;
  }
  return node;
}

std::string TableReader::text(std::string_view key, std::string_view standard) {
  const TomlNode* found = node(key, "a text", is<std::string>);
  return found != nullptr ? *found->get_if<std::string>() : std::string(standard);
}

std::string TableReader::required_text(std::string_view key) {
  if (!has(key)) problems_->add(line_, fmt::format("'{}' is missing", key));
  return text(key);
}

std::optional<double> TableReader::number(std::string_view key) {
  const TomlNode* found = node(key, "a number", is_number);
  return found != nullptr ? std::optional(to_number(*found)) : std::nullopt;
}

std::int64_t TableReader::count(std::string_view key, std::int64_t standard) {
  const TomlNode* found = node(key, "a whole number", is<std::int64_t>);
  if (found == nullptr) return standard;
  const std::int64_t value = *found->get_if<std::int64_t>();
  if (value < 1) problems_->add(found->line, fmt::format("'{}' must be ≥ 1, not {}", key, value));
  return value;
}

bool TableReader::flag(std::string_view key) {
  const TomlNode* found = node(key, "true or false", is<bool>);
  return found != nullptr && *found->get_if<bool>();
}

std::vector<double> TableReader::numbers(std::string_view key) {
  const TomlNode* found = node(key, "a number or an array of numbers", is_numbers);
  if (found == nullptr) return {};
  const auto* array = found->get_if<TomlNode::Array>();
  if (array == nullptr) return {to_number(*found)};
  std::vector<double> values(array->size());
  std::transform(array->begin(), array->end(), values.begin(), to_number);
  return values;
}

std::vector<std::string> TableReader::texts(std::string_view key) {
  const TomlNode* found = node(key, "a text or an array of texts", is_texts);
  if (found == nullptr) return {};
  const auto* array = found->get_if<TomlNode::Array>();
  if (array == nullptr) return {*found->get_if<std::string>()};
  std::vector<std::string> values(array->size());
  std::transform(array->begin(), array->end(), values.begin(),
                 [](const TomlNode& element) { return *element.get_if<std::string>(); });
  return values;
}

SetOptions TableReader::options(std::string_view key) {
  const TomlNode* found = node(key, "a table of options", is<TomlNode::Table>);
  return found != nullptr ? to_options(*found->get_if<TomlNode::Table>(), *problems_) : SetOptions{};
}

const TomlNode::Array& TableReader::array(std::string_view key) {
  static const TomlNode::Array kNone;
  const TomlNode* found = node(key, "an array", is<TomlNode::Array>);
  return found != nullptr ? *found->get_if<TomlNode::Array>() : kNone;
}

std::vector<TableReader> TableReader::tables(std::string_view key) {
  const TomlNode* found = node(key, "a table or an array of tables", is_tables);
  std::vector<TableReader> readers;
  if (found == nullptr) return readers;
  if (const auto* table = found->get_if<TomlNode::Table>()) {
    readers.emplace_back(*table, found->line, *problems_);
    return readers;
  }
  const auto& array = *found->get_if<TomlNode::Array>();
  readers.reserve(array.size());
  for (const TomlNode& element : array) {
    readers.emplace_back(*element.get_if<TomlNode::Table>(), element.line, *problems_);
  }
  return readers;
}

std::map<std::string, SetOptions> TableReader::named_options(std::string_view key) {
  const TomlNode* found = node(key, "a table", is<TomlNode::Table>);
  std::map<std::string, SetOptions> named;
  if (found == nullptr) return named;
  for (const auto& [name, inner] : *found->get_if<TomlNode::Table>()) {
    if (const auto* table = inner.get_if<TomlNode::Table>()) {
      named.emplace(name, to_options(*table, *problems_));
    } else {
      problems_->add(inner.line, fmt::format("'{}' needs a table of options", printable(name, kShownBytes)));
    }
  }
  return named;
}

void TableReader::refuse_the_rest() {
  for (const auto& [name, inner] : *table_) {
    if (std::find(asked_.begin(), asked_.end(), name) != asked_.end()) continue;
    const std::string meant = closest_name(name, asked_);
    problems_->add(inner.line, fmt::format("unknown key '{}'{}", printable(name, kShownBytes),
                                           meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant)));
  }
}

}  // namespace gtvmin
