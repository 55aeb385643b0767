#pragma once

#include <span>

#include "gtvmin/base/types.h"

namespace gtvmin {

/// How well two partitions of the same nodes agree (Hubert and Arabie): the share of pairs that both treat alike,
/// corrected for chance. 1 means the same partition, 0 what a random one of the same sizes would give; it can be
/// negative. Two partitions without any choice (all nodes together in both, all alone in both, one node) agree: 1.
/// a[i] and b[i] are the groups of node i; their numbering does not matter.
[[nodiscard]] double adjusted_rand_index(std::span<const NodeId> a, std::span<const NodeId> b);

}  // namespace gtvmin
