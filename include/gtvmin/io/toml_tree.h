#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gtvmin/base/result.h"

namespace gtvmin {

/// A value of a TOML file and the line on which it stands, tables and arrays included.
struct TomlNode {
  struct Entry;
  using Array = std::vector<TomlNode>;
  /// Keys with values, in the order of the file.
  using Table = std::vector<Entry>;

  std::variant<bool, std::int64_t, double, std::string, Array, Table> value;
  std::int64_t line = 0;

  template <class T>
  [[nodiscard]] const T* get_if() const {
    return std::get_if<T>(&value);
  }
};

struct TomlNode::Entry {
  std::string key;
  TomlNode node;
};

/// The whole text as a tree. Fails like parse_toml; dates and times are problems.
[[nodiscard]] Result<TomlNode::Table> parse_toml_tree(const std::string& name, std::string_view content);

}  // namespace gtvmin
