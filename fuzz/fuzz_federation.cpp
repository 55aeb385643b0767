// Any bytes are a federation whose text gives itself back, or a list of problems; nothing else may happen.

#include <cstddef>
#include <cstdint>
#include <string>

#include "check.h"
#include "gtvmin/federation/federation.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto federation = gtvmin::parse_federation("f.toml", {reinterpret_cast<const char*>(bytes), size});
  if (!federation) {
    FUZZ_CHECK(federation.error().kind == gtvmin::Error::Kind::kBadInput);
    FUZZ_CHECK(!federation.error().messages.empty() && federation.error().messages.size() <= 21);
    for (const std::string& message : federation.error().messages) {
      FUZZ_CHECK(message.starts_with("f.toml:"));
      for (const char c : message) FUZZ_CHECK(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F);
    }
    return 0;
  }
  const std::string text = federation_text(*federation);
  const auto again = gtvmin::parse_federation("f.toml", text);
  FUZZ_CHECK(again.ok() && federation_text(*again) == text);
  FUZZ_CHECK(spanning_tree(*federation).ok());
  return 0;
}
