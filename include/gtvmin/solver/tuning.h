#pragma once

#include <cstdint>

#include "gtvmin/second_order/smoothed_newton.h"

namespace gtvmin {

/// Every constant by which the solver decides what to do. Work is counted in operations, never measured by a clock, so
/// that every run takes the same decisions.
struct SolverTuning {
  // Message passing.
  /// Over-relaxation of the primal-dual iteration; in [1, 2). 1.6 to 1.9 differ by less than 10 % on random problems.
  double relaxation = 1.8;
  /// Least number of iterations between two changes of ω, and the fraction of all iterations so far; > 0.
  std::int64_t least_window = 5;
  double window_fraction = 0.36;
  /// Exponent of a change of ω, in (0, 1], and the largest factor of one change.
  double weight_exponent = 0.5;
  double weight_change = 10;

  // Certificates of iterates.
  /// Least work of message passing between two of them, as a fraction of its work so far; > 0.
  double certificate_interval = 0.05;
  /// Operations of a certificate beyond which a run that has to end does without: about a second.
  double hurried_work = 2e9;

  // Newton's method on the whole problem.
  /// Predicted cost of a factorisation beyond which it is not attempted: flops and numbers in the factor.
  double newton_flops = 2e10;
  double newton_numbers = 2e8;
  /// Share of its predicted cost that message passing has spent before Newton's method starts; ≥ 0.
  double newton_head_start = 0.25;
  /// Multiple of its predicted cost after which Newton's method yields to message passing; ≥ 1.
  double newton_patience = 3;
  /// Steps that Newton's method is predicted to take: smooth problems, kinks, the maximum norm in several coordinates.
  double newton_steps_smooth = 2;
  double newton_steps_kinks = 12;
  double newton_steps_linf = 25;
  /// Multiple of the gap asked for below which the smoothing error must be before a step is certified; ≥ 1.
  double newton_near = 10;
  /// Steps near the end without a smaller gap after which rounding has taken over; ≥ 1.
  std::int64_t newton_stalled = 8;

  // Newton's method on contracted graphs.
  /// Share of the work of message passing that contraction may spend; in [0, 1].
  double contraction_share = 0.3;
  /// Factor between the iterations at which contraction is tried; > 1.
  double contraction_interval = 1.3;
  /// Edges whose utilisation is below 1 − slack are contracted, and count as fused where clusters are estimated; in (0,
  /// 1).
  double contraction_slack = 1e-6;

  // End of a run.
  /// Share of all work that the completion of the fusion may add; in [0, 1].
  double fusion_share = 0.3;
  /// Operations that it may take in any case: some 20 ms; ≥ 0.
  double fusion_work = 2e7;

  SmoothedNewtonTuning newton = {};
};

}  // namespace gtvmin
