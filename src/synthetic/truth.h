#pragma once

#include "gtvmin/synthetic/synthetic_data.h"

namespace gtvmin {

/// The true parameters of every node, dimension × nodes.
Result<Matrix> draw_truth(const Partition& clusters, const SyntheticParameters& parameters, std::uint64_t seed);

}  // namespace gtvmin
