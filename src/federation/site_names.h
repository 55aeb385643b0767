#pragma once

/// How sites are called and reached. Private to this room.

#include <string_view>

namespace gtvmin {

/// One part of a host name: 1 to 63 lower-case letters, digits and hyphens, no hyphen at either end.
[[nodiscard]] bool is_dns_label(std::string_view name);

/// host:port, where host is a name, an IPv4 address, or an IPv6 address in brackets, and port is 1 to 65535.
[[nodiscard]] bool is_address(std::string_view address);

}  // namespace gtvmin
