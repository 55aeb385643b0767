#pragma once

#include <cstdint>

namespace gtvmin {

/// One stream of random numbers per purpose: changing one parameter leaves what others decide as it was. The numbers
/// are part of what a seed means, so they never change; the streams of synthetic data start at 256.
enum class GraphStream : std::uint64_t {
  kWithinClusters = 1,
  kBetweenClusters = 2,
  kPoints = 3,
  kAttachments = 4,
  kClusterSeeds = 5,
};

}  // namespace gtvmin
