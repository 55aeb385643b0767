#include "coupling.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <numeric>

namespace gtvmin {

Result<std::vector<Index>> coupled_parameters(const std::vector<std::string>& names,
                                              std::span<const std::string> patterns) {
  std::vector<Index> coupled;
  if (patterns.empty()) {
    coupled.resize(names.size());
    std::iota(coupled.begin(), coupled.end(), Index{0});
    return coupled;
  }
  std::vector<char> matched(names.size(), 0);
  Error error{Error::Kind::kUsage, {}};
  for (const std::string& pattern : patterns) {
    bool any = false;
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (names[k] != pattern && fnmatch(pattern.c_str(), names[k].c_str(), FNM_NOESCAPE) != 0) continue;
      matched[k] = 1;
      any = true;
    }
    if (any) continue;
    constexpr std::size_t kShown = 20;
    const std::span<const std::string> shown(names.data(), std::min(kShown, names.size()));
    error.messages.push_back(fmt::format("no parameter matches '{}'; there are {}{}", pattern, fmt::join(shown, ", "),
                                         names.size() > kShown ? ", …" : ""));
  }
  if (!error.messages.empty()) return error;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (matched[k] != 0) coupled.push_back(static_cast<Index>(k));
  }
  return coupled;
}

}  // namespace gtvmin
