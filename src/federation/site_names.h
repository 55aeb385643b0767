#pragma once

/// How sites are called and reached. Private to this room.

#include <cstddef>
#include <string_view>

namespace gtvmin {

/// One part of a host name: 1 to 63 lower-case letters, digits and hyphens, no hyphen at either end.
[[nodiscard]] bool is_dns_label(std::string_view name);

/// The longest name of a federation: "<name> authority" has to fit into the 64 letters that a certificate has for it.
constexpr std::size_t kLongestFederationName = 54;

}  // namespace gtvmin
