#pragma once

#include <cstdint>

#include "gtvmin/base/rng.h"
#include "gtvmin/base/types.h"

namespace gtvmin {

/// One stream of random numbers per purpose. The numbers are part of what a seed means, so they never change; the
/// streams of graphs lie below 256.
enum class DataStream : std::uint64_t {
  kTruth = 256,
  kPerturbation = 257,
  kAccess = 258,
  kSampleCount = 259,
  kFeatures = 260,
  kNoise = 261,
  kLabels = 262,
};

/// The random numbers that one purpose has for one node or cluster.
inline Rng stream_of(DataStream purpose, NodeId which, std::uint64_t seed) {
  return Rng(seed, (static_cast<std::uint64_t>(purpose) << 32) + static_cast<std::uint64_t>(which));
}

}  // namespace gtvmin
