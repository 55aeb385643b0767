#include "gtvmin/base/seal.h"

#include "gtvmin/base/bytes.h"
#include "gtvmin/base/fingerprint.h"

namespace gtvmin {

std::string seal(std::string_view format, std::string_view content) {
  ByteWriter out;
  out.text(format);
  out.text(fingerprint(content));
  out.text(content);
  return out.take();
}

std::string_view sealed_format(std::string_view bytes) { return ByteReader(bytes).text(); }

std::optional<std::string_view> unseal(std::string_view bytes) {
  ByteReader in(bytes);
  static_cast<void>(in.text());
  const std::string_view checksum = in.text();
  const std::string_view content = in.text();
  if (!in.ok() || !in.at_end() || checksum != fingerprint(content)) return std::nullopt;
  return content;
}

}  // namespace gtvmin
