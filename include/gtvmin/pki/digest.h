#pragma once

#include <string>
#include <string_view>

#include "gtvmin/federation/federation.h"

namespace gtvmin {

/// SHA-256, as 64 hexadecimal digits.
[[nodiscard]] std::string sha256_hex(std::string_view text);

/// By which sites tell, when they meet, that they have the same federation file: the digest of federation_text.
[[nodiscard]] std::string federation_digest(const Federation& federation);

}  // namespace gtvmin
