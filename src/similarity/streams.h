#pragma once

#include <cstdint>

namespace gtvmin {

/// The streams of random numbers of this room, one per purpose. They are part of what a seed means and never change;
/// graph generators have those from 1, synthetic data those from 256.
enum class SimilarityStream : std::uint64_t {
  kSlices = 512,
  kRandomProjection = 513,
  kTsneStart = 514,
};

}  // namespace gtvmin
