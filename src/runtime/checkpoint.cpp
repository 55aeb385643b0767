#include "gtvmin/runtime/checkpoint.h"

#include "gtvmin/base/bytes.h"
#include "gtvmin/base/fingerprint.h"

namespace gtvmin {
namespace {
constexpr std::string_view kFormat = "gtvmin checkpoint 1";
}

std::string pack(const Checkpoint& checkpoint) {
  ByteWriter content;
  content.text(checkpoint.problem);
  content.text(pack(checkpoint.state));
  content.matrix(checkpoint.w);
  content.matrix(checkpoint.u);
  const std::string bytes = content.take();
  ByteWriter out;
  out.text(kFormat);
  out.text(fingerprint(bytes));
  out.text(bytes);
  return out.take();
}

Result<Checkpoint> unpack_checkpoint(std::string_view bytes) {
  ByteReader in(bytes);
  if (in.text() != kFormat) return bad_input("is not a checkpoint of this version of gtvmin");
  const std::string_view checksum = in.text();
  const std::string_view content = in.text();
  if (!in.ok() || !in.at_end() || checksum != fingerprint(content)) return bad_input("is damaged");
  ByteReader parts(content);
  Checkpoint checkpoint;
  checkpoint.problem = parts.text();
  Result<SolverState> state = unpack_state(parts.text());
  if (!state) return state.error();
  checkpoint.state = *std::move(state);
  checkpoint.w = parts.matrix();
  checkpoint.u = parts.matrix();
  if (!parts.ok() || !parts.at_end()) return bad_input("is damaged");
  return checkpoint;
}

}  // namespace gtvmin
