#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gtvmin/base/result.h"

namespace gtvmin {

using TomlValue = std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>>;

/// One `key = value` of a TOML file.
struct TomlEntry {
  std::string key;
  TomlValue value;
  std::int64_t line = 0;
};

/// Reads a flat TOML file, in the order of the file. Tables, dates and arrays of anything but strings are problems;
/// all of them are listed as "file:line: what is wrong". A text that is not TOML gives the first such place only.
[[nodiscard]] Result<std::vector<TomlEntry>> read_toml(const std::string& path);
[[nodiscard]] Result<std::vector<TomlEntry>> parse_toml(const std::string& name, std::string_view content);

}  // namespace gtvmin
