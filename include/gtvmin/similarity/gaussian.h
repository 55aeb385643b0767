#pragma once

#include "gtvmin/problem/dataset.h"
#include "gtvmin/similarity/node_distances.h"

namespace gtvmin {

/// A normal distribution N(µ, Σ).
struct Gaussian {
  Vector mean;
  Matrix covariance;
};

/// The normal distribution that fits the columns best: their mean, and their covariance with divisor m.
[[nodiscard]] Gaussian fit_gaussian(ConstMatrixRef samples);

/// ½ KL(p‖q) + ½ KL(q‖p)
///   = ¼ [tr(Σ_q⁻¹Σ_p) + tr(Σ_p⁻¹Σ_q) − 2d + (µ_p − µ_q)ᵀ(Σ_p⁻¹ + Σ_q⁻¹)(µ_p − µ_q)].
/// Both covariances must be positive definite.
[[nodiscard]] double gaussian_divergence(const Gaussian& p, const Gaussian& q);

/// The 2-Wasserstein distance √(‖µ_p − µ_q‖² + tr(Σ_p + Σ_q − 2(Σ_p^½ Σ_q Σ_p^½)^½)). Singular covariances are fine.
[[nodiscard]] double gaussian_wasserstein(const Gaussian& p, const Gaussian& q);

/// The two distances between all nodes, each told by its mean and covariance. To every covariance of the divergence
/// `ridge`·v·I is added, where v is the mean variance of a feature within a node, over all nodes: a node with few
/// samples, or a constant feature, has a singular one. Fails where all v is 0.
/// Leaves a site: the mean and the covariance of its samples, d + d(d + 1)/2 numbers.
[[nodiscard]] Result<NodeDistances> divergences_between_gaussians(const Dataset& dataset, double ridge,
                                                                  const SimilarityContext& context);
[[nodiscard]] Result<NodeDistances> wasserstein_between_gaussians(const Dataset& dataset,
                                                                  const SimilarityContext& context);

}  // namespace gtvmin
