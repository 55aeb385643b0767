#pragma once

#include <string>
#include <string_view>

#include "gtvmin/base/result.h"
#include "gtvmin/options/option_set.h"
#include "gtvmin/options/table_reader.h"

namespace gtvmin {

/// Sets the options that a TOML file names. Relative paths start at the folder of the file. Fails with all problems,
/// each "file:line: what is wrong": no TOML, an unknown option, a value of the wrong type or out of bounds.
[[nodiscard]] Status read_toml_options(OptionSet& options, const std::string& path);
/// The same with settings that stand in a file `path`.
[[nodiscard]] Status set_options(OptionSet& options, const std::string& path, const SetOptions& settings);
/// The same from memory; `path` names the file in messages and is where relative paths start.
[[nodiscard]] Status parse_toml_options(OptionSet& options, const std::string& path, std::string_view content);

}  // namespace gtvmin
