#pragma once

#include "gtvmin/problem/dataset.h"
#include "gtvmin/similarity/node_distances.h"

namespace gtvmin {

/// The k-nearest-neighbour estimate (Pérez-Cruz 2008) of KL(p‖q) from n samples of p and m of q, columns, in d
/// dimensions:
///   (d/n) Σ_x log(ν_k(x)/ρ_k(x)) + log(m/(n − 1)),
/// ρ_k(x) the distance from x to the k-th nearest other sample of p, ν_k(x) to the k-th nearest of q. It converges to
/// the divergence but can be negative. A distance 0 (a repeated point) counts as the smallest positive one among all ρ
/// and ν of the two nodes; if there is none, all ratios are 1. n > k, m ≥ k.
[[nodiscard]] double knn_divergence(const NeighbourSearch& p, const NeighbourSearch& q, NodeId k);

/// ½ KL(i‖j) + ½ KL(j‖i), each estimated as above, between all nodes, each of which has more than k samples. What is
/// negative is told as 0, see NodeDistances.
/// Leaves a site: its samples (embedded, if an embedding came before): every pair of nodes looks for neighbours in the
/// other's samples.
[[nodiscard]] Result<NodeDistances> knn_divergences(const Dataset& dataset, NodeId k, const SimilarityContext& context);

}  // namespace gtvmin
