// Whatever a neighbouring site sends is a message that means what its bytes say, or is refused with a reason; nothing
// else may happen. The same for checkpoints, which a disk may have damaged.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "check.h"
#include "gtvmin/runtime/checkpoint.h"
#include "gtvmin/runtime/site_checkpoint.h"
#include "gtvmin/runtime/site_messages.h"

namespace {

using gtvmin::Index;

void check_parameters(std::string_view message, const gtvmin::LinkShape& shape, std::uint64_t iteration) {
  gtvmin::Matrix w(shape.dimension, static_cast<Index>(shape.nodes.size()));
  std::vector<Index> columns(shape.nodes.size());
  for (std::size_t k = 0; k < columns.size(); ++k) columns[k] = static_cast<Index>(k);
  gtvmin::read_parameters(message, w, columns);
  FUZZ_CHECK(w.allFinite());
  FUZZ_CHECK(gtvmin::parameters_message(iteration, shape.nodes, w, columns) == message);
}

void check_sums(std::string_view message) {
  const gtvmin::SteeringSums sums = gtvmin::read_sums(message);
  for (int k = 0; k < gtvmin::SteeringSums::kQuantities; ++k) FUZZ_CHECK(std::isfinite(sums.sums[k].value()));
  gtvmin::SteeringSums twice = sums;
  twice.add(sums);
  FUZZ_CHECK(gtvmin::unpack(gtvmin::pack(twice)).ok());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view message(reinterpret_cast<const char*>(bytes), size);
  for (const bool relatives : {false, true}) {
    const gtvmin::LinkShape shape{.nodes = {3, 7}, .dimension = 2, .from_child = relatives, .from_parent = relatives};
    const auto header = check_message(message, shape);
    if (!header) {
      FUZZ_CHECK(!header.error().messages.front().empty());
      continue;
    }
    FUZZ_CHECK(size <= longest_message(shape));
    const bool parameters = header->kind == gtvmin::MessageKind::kParameters;
    FUZZ_CHECK(parameters || relatives);
    if (parameters) {
      check_parameters(message, shape, header->round);
    } else {
      check_sums(message);
    }
  }
  if (const auto checkpoint = gtvmin::unpack_checkpoint(message)) FUZZ_CHECK(pack(*checkpoint) == message);
  if (const auto checkpoint = gtvmin::decode_checkpoint(message)) FUZZ_CHECK(encode_checkpoint(*checkpoint) == message);
  return 0;
}
