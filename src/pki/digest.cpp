#include "gtvmin/pki/digest.h"

#include <fmt/format.h>
#include <openssl/sha.h>

#include <array>

namespace gtvmin {

std::string sha256_hex(std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

std::string federation_digest(const Federation& federation) { return sha256_hex(federation_text(federation)); }

}  // namespace gtvmin
