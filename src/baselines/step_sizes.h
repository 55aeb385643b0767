#pragma once

#include <span>

#include "clients.h"

namespace gtvmin {

/// The largest eigenvalue of ∇²f_i at the start, nearly: by power iteration, on differences of gradients where the
/// Hessian is not known. Of a loss with kinks, slope over distance to its minimiser, both from the start: what a
/// quadratic with the same two numbers would have. 0 where f_i is flat.
[[nodiscard]] double curvature(const Clients& clients, NodeId i);
/// The largest of all clients; 1 where all are flat.
[[nodiscard]] double largest_curvature(Clients& clients);
/// That of Σ p_i f_i / Σ p_i; the largest of all clients where some loss has kinks.
[[nodiscard]] double curvature_of_average(Clients& clients);

/// That of L_i, in the median of the clients.
[[nodiscard]] double median_curvature_of_losses(Clients& clients);
/// How far from the start the clients' own minimisers are, in the median. Where a minimum lies at infinity, as far as a
/// gradient step of the length 1/curvature goes.
[[nodiscard]] double median_reach(Clients& clients);

/// learning_rate with the grid multiples/curvature, to be tuned.
[[nodiscard]] Tunable tunable_learning_rate(std::span<const double> multiples, double curvature);
/// What methods with a personal model near a common one leave open: learning_rate with the grid rates/curvature,
/// proximity with multiples of the curvature, the largest of all clients.
[[nodiscard]] std::vector<Tunable> personal_tunables(const BaselineInput& input, const BaselineOptions& options,
                                                     std::span<const double> rates);

}  // namespace gtvmin
