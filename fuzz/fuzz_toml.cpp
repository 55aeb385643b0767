// Any bytes are a flat list of options in the order of the file, or a list of problems; nothing else may happen.

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "check.h"
#include "gtvmin/io/toml.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto entries = gtvmin::parse_toml("run.toml", {reinterpret_cast<const char*>(bytes), size});
  if (!entries) {
    FUZZ_CHECK(entries.error().kind == gtvmin::Error::Kind::kBadInput);
    FUZZ_CHECK(!entries.error().messages.empty() && entries.error().messages.size() <= 21);
    for (const std::string& message : entries.error().messages) {
      FUZZ_CHECK(message.starts_with("run.toml:"));
      for (const char c : message) FUZZ_CHECK(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F);
    }
    return 0;
  }
  std::set<std::string_view> keys;
  std::int64_t line = 1;
  for (const gtvmin::TomlEntry& entry : *entries) {
    FUZZ_CHECK(keys.insert(entry.key).second);
    FUZZ_CHECK(entry.line >= line);
    line = entry.line;
  }
  return 0;
}
