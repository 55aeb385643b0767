#pragma once

/// How a federation's authority is called in certificates. Private to this room.

#include <string>
#include <string_view>

namespace gtvmin {

inline constexpr std::string_view kAuthoritySuffix = " authority";

[[nodiscard]] inline std::string authority_of_federation(std::string_view federation) {
  return std::string(federation) + std::string(kAuthoritySuffix);
}

/// Empty if that is not the name of an authority.
[[nodiscard]] inline std::string federation_of_authority(std::string_view name) {
  if (!name.ends_with(kAuthoritySuffix)) return {};
  return std::string(name.substr(0, name.size() - kAuthoritySuffix.size()));
}

}  // namespace gtvmin
