#include "gtvmin/runtime/cluster.h"

#include <algorithm>

#include "gtvmin/base/bytes.h"

namespace gtvmin {
namespace {

std::string pack(const Error& error) {
  ByteWriter out;
  out.integer(static_cast<std::int64_t>(error.kind));
  out.integer(static_cast<std::int64_t>(error.messages.size()));
  for (const std::string& message : error.messages) out.text(message);
  return out.take();
}

Error unpack_error(std::string_view bytes) {
  ByteReader in(bytes);
  Error error{static_cast<Error::Kind>(in.integer()), {}};
  const std::int64_t messages = in.integer();
  for (std::int64_t k = 0; k < messages && in.ok(); ++k) error.messages.emplace_back(in.text());
  return error;
}

}  // namespace

Status agree(Cluster& cluster, const Status& mine) {
  const auto all = cluster.gather(mine ? std::string() : pack(mine.error()));
  if (!all) return all.error();
  const auto first = std::find_if(all->begin(), all->end(), [](const std::string& bytes) { return !bytes.empty(); });
  const Result<std::string> said = cluster.broadcast(first == all->end() ? std::string() : *first);
  if (!said) return said.error();
  return said->empty() ? Status(Unit{}) : Status(unpack_error(*said));
}

}  // namespace gtvmin
