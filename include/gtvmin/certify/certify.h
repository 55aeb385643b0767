#pragma once

#include "gtvmin/base/thread_team.h"
#include "gtvmin/base/types.h"
#include "gtvmin/certify/certificate.h"
#include "gtvmin/certify/dual_point.h"
#include "gtvmin/graph/empirical_graph.h"
#include "gtvmin/problem/sample_problem.h"

namespace gtvmin {

/// Makes a dual point feasible up to rounding: slopes into their domain, the residual of the balance routed through
/// edges with slack, everything scaled into the balls of the penalty.
void make_feasible(const SampleProblem& problem, const Partition& components, ThreadTeam& team, DualPoint& dual);

/// Bounds F(w) − F* from above by
///     Σ terms of the gap + Σ_ij |m_ij| · reach_ij,
/// m the residual of the balance that rounding has left and reach a proved bound on |w_ij − w*_ij| (OptimumRadius). All
/// of it is evaluated in extended precision; errors of the evaluation are bounded and added. Reads the pair, nothing of
/// how it came about. In components where no optimum can be located (separable classes, for one) it falls back on the
/// least values of the losses, if that says enough. `start_objective` is |F| before the first iteration. Without
/// `radius` the second sum is left out and the kind says that nothing is proved: an estimate that costs less.
[[nodiscard]] Certificate certify(const SampleProblem& problem, const Partition& components, const Matrix& w,
                                  const DualPoint& dual, double start_objective, ThreadTeam& team, bool radius = true);

}  // namespace gtvmin
