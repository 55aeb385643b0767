#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gtvmin/io/input_problems.h"
#include "gtvmin/io/toml_tree.h"
#include "gtvmin/options/option_set.h"

namespace gtvmin {

/// One option as a file sets it; `line` is for messages.
struct SetOption {
  std::string name;
  OptionValue value;
  std::int64_t line = 0;
};
/// Of two settings of one option the later one counts.
using SetOptions = std::vector<SetOption>;

/// Takes the entries of a TOML table one by one, by name and type. What has a wrong type, is missing or, at the end,
/// has not been asked for becomes a problem.
class TableReader {
 public:
  TableReader(const TomlNode::Table& table, std::int64_t line, InputProblems& problems)
      : table_(&table), line_(line), problems_(&problems) {}

  [[nodiscard]] std::int64_t line() const { return line_; }
  [[nodiscard]] bool has(std::string_view key) const { return find(key) != nullptr; }
  [[nodiscard]] bool has_text(std::string_view key) const {
    return has(key) && find(key)->get_if<std::string>() != nullptr;
  }

  /// Where the value of a key stands; the line of the table if there is none.
  [[nodiscard]] std::int64_t line_of(std::string_view key) const;

  std::string text(std::string_view key, std::string_view standard = {});
  std::string required_text(std::string_view key);
  std::optional<double> number(std::string_view key);
  std::int64_t count(std::string_view key, std::int64_t standard);
  bool flag(std::string_view key);
  std::vector<double> numbers(std::string_view key);
  std::vector<std::string> texts(std::string_view key);
  /// The elements of an array, of any type; none if there is no such key.
  const TomlNode::Array& array(std::string_view key);
  /// A table of options.
  SetOptions options(std::string_view key);
  /// Each of an array of tables, or the only table.
  std::vector<TableReader> tables(std::string_view key);
  /// A table of tables of options, by name.
  std::map<std::string, SetOptions> named_options(std::string_view key);

  /// To be called last.
  void refuse_the_rest();

 private:
  [[nodiscard]] const TomlNode* find(std::string_view key) const;
  /// Null if there is none that fits.
  const TomlNode* node(std::string_view key, std::string_view wanted, bool fits(const TomlNode&));

  const TomlNode::Table* table_;
  std::int64_t line_;
  InputProblems* problems_;
  std::vector<std::string> asked_;
};

}  // namespace gtvmin
