#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gtvmin::app {

/// "1 node", "2 nodes".
[[nodiscard]] std::string count(std::int64_t n, std::string_view one);

/// A line for each of the first few warnings, and one that says how many more stand in `place`.
[[nodiscard]] std::string warnings_text(const std::vector<std::string>& warnings, std::string_view place);

}  // namespace gtvmin::app
