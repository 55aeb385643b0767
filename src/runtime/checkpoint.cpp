#include "gtvmin/runtime/checkpoint.h"

#include "gtvmin/base/bytes.h"
#include "gtvmin/base/seal.h"

namespace gtvmin {
namespace {
constexpr std::string_view kFormat = "gtvmin checkpoint 2";
}

std::string pack(const Checkpoint& checkpoint) {
  ByteWriter content;
  content.text(checkpoint.problem);
  content.text(pack(checkpoint.state));
  for (const Matrix* part : {&checkpoint.w, &checkpoint.u, &checkpoint.w_window, &checkpoint.u_window}) {
    content.matrix(*part);
  }
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
  for (Matrix* part : {&checkpoint.w, &checkpoint.u, &checkpoint.w_window, &checkpoint.u_window}) {
    *part = parts.matrix();
  }
  if (!parts.ok() || !parts.at_end()) return bad_input("is damaged");
  return checkpoint;
}

}  // namespace gtvmin
