#pragma once

#include <cstdint>

#include "gtvmin/problem/dataset.h"
#include "gtvmin/similarity/node_distances.h"

namespace gtvmin {

/// ∫₀¹ (F⁻¹(t) − G⁻¹(t))² dt, the squared 2-Wasserstein distance of two samples on a line, exactly; they may have
/// different sizes ≥ 1. Both ascending.
[[nodiscard]] double squared_wasserstein_1d(ConstVectorRef sorted_a, ConstVectorRef sorted_b);

/// `count` random directions of length 1 in d dimensions, columns. Each d of them in turn are orthogonal, so that for a
/// multiple of d the mean of ⟨θ, s⟩² is exactly ‖s‖²/d for every s.
[[nodiscard]] Matrix random_directions(Index d, Index count, std::uint64_t seed);

/// The sliced 2-Wasserstein distance √(mean over the directions θ of W₂²(⟨θ, X_i⟩, ⟨θ, X_j⟩)) between all nodes.
/// Leaves a site: its samples seen along each direction, sorted, i.e. `projections` numbers for every sample. With as
/// many directions as features, that is as good as the samples themselves.
[[nodiscard]] Result<NodeDistances> sliced_wasserstein_distances(const Dataset& dataset, Index projections,
                                                                 std::uint64_t seed, const SimilarityContext& context);

}  // namespace gtvmin
