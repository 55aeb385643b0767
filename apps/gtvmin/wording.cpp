#include "wording.h"

#include <fmt/format.h>

#include <algorithm>

namespace gtvmin::app {

std::string count(std::int64_t n, std::string_view one) { return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s"); }

std::string warnings_text(const std::vector<std::string>& warnings, std::string_view place) {
  constexpr std::size_t kShown = 10;
  std::string text;
  for (std::size_t k = 0; k < std::min(warnings.size(), kShown); ++k) text += fmt::format("warning: {}\n", warnings[k]);
  if (warnings.size() > kShown) text += fmt::format("{} more warnings in {}\n", warnings.size() - kShown, place);
  return text;
}

}  // namespace gtvmin::app
