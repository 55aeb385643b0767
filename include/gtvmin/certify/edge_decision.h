#pragma once

#include <vector>

#include "gtvmin/base/thread_team.h"
#include "gtvmin/base/types.h"
#include "gtvmin/certify/dual_point.h"
#include "gtvmin/graph/empirical_graph.h"
#include "gtvmin/problem/sample_problem.h"

namespace gtvmin {

/// What is proved about the two models at the ends of an edge, at every optimum.
enum class EdgeStatus : char {
  kFused,     ///< they are equal
  kSeparate,  ///< they differ
  kUndecided
};

/// Decides the edges of a problem with a norm penalty. `w` (D × nodes) is constant on `groups`, the candidates for the
/// clusters; `dual` is a feasible dual point and `gap` a proved bound on the gap of the pair.
///
/// Let W* be an optimum among parameters that are constant on the groups. At W* the sum of all brackets of the gap is
/// at most `gap`, which bounds how far slopes and flows between groups are from those of the dual point. If, in every
/// group, what changes at its nodes can be routed through the slack of a spanning tree of inner edges, W* satisfies the
/// optimality conditions of the whole problem with flows strictly inside their balls on the trees: every optimum is
/// constant on the groups (fused). A group for which that fails is taken apart into nodes, and the others are tried
/// again. Separate: the samples of a group bound |W*_g − w_g| coordinate by coordinate.
[[nodiscard]] std::vector<EdgeStatus> decide_edges(const SampleProblem& problem, const Partition& groups,
                                                   const Matrix& w, const DualPoint& dual, double gap,
                                                   ThreadTeam& team);

}  // namespace gtvmin
