#pragma once

#include <string>
#include <string_view>

namespace gtvmin {

/// 16 hexadecimal digits that tell texts apart (FNV-1a): for damage and changed settings, not against attackers.
[[nodiscard]] std::string fingerprint(std::string_view text);

}  // namespace gtvmin
