#include "gtvmin/runtime/checkpoint.h"

#include "gtvmin/base/bytes.h"
#include "gtvmin/base/seal.h"

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
  return seal(kFormat, content.take());
}

Result<Checkpoint> unpack_checkpoint(std::string_view bytes) {
  if (sealed_format(bytes) != kFormat) return bad_input("is not a checkpoint of this version of gtvmin");
  const auto content = unseal(bytes);
  if (!content) return bad_input("is damaged");
  ByteReader parts(*content);
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
