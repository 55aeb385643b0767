#include "gtvmin/base/fingerprint.h"

#include <fmt/format.h>

#include <cstdint>

namespace gtvmin {

std::string fingerprint(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return fmt::format("{:016x}", hash);
}

}  // namespace gtvmin
