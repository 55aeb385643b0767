#pragma once

#include <string_view>
#include <vector>

#include "gtvmin/base/thread_team.h"
#include "gtvmin/base/types.h"
#include "gtvmin/certify/dual_point.h"
#include "gtvmin/certify/pooled_level.h"
#include "gtvmin/graph/empirical_graph.h"
#include "gtvmin/problem/sample_problem.h"

namespace gtvmin {

/// How far from W an optimum W* can be, proved from a dual point, coordinate by coordinate.
///
/// Let m be the residual of the balance of a dual point and G the gap of (W, dual). For every W* with F(W*) ≤ F(W)
///     brackets(W*) ≤ G + Σ_i ⟨m_i, w_i − w*_i⟩,                                     (1)
/// where brackets(W*) is the sum of the terms of gap_terms at W*. For the dual point times ½ every edge has the slack
/// κ_e/2 and every sample a slope inside its domain, so brackets(W*) ≤ T bounds
///   - Σ φ(v*_e) along a path of edges by 2T/κ, κ the least on the path, for norms; ‖Σ v*_e‖ for quadratic penalties,
///   - every score x_rᵀw*_i by an affine function of T (score_reach).
/// Differences between nodes follow from the paths to the root of a maximum spanning tree, the level of the tree from
/// pooled scores by a left inverse of the pooled features. All of it is affine in T, so (1) bounds T itself. An optimum
/// can be shifted along directions in which no score of its component changes; it is meant to be the one next to W.
struct OptimumRadius {
  enum class Outcome : char {
    kProved,
    kFlat,      ///< scores do not determine the parameters of a component: collinear or missing features
    kUnbounded  ///< the residual is too large, or no dual point is interior: separable classes without a ridge
  };
  std::vector<Outcome> outcomes;  ///< of the components
  Matrix reach;                   ///< |w_ij − w*_ij| ≤ reach_ij, D × groups; 0 where nothing is proved

  /// The first that is not kProved.
  [[nodiscard]] Outcome outcome() const;
};
/// Bounds on the scores of a group's samples at a point where every bracket of the gap is at most T, as rows for the
/// distance of its parameters from w; `typical` is the T at which they should be sharp.
[[nodiscard]] std::vector<BoundedRow> score_rows(const SampleProblem& problem, const DualPoint& dual, const Matrix& w,
                                                 NodeId group, double typical);

/// Bounds on the coordinates of a vector from rows; infinite if they do not determine it, 0 for one that no row sees.
[[nodiscard]] std::vector<Affine> level_bounds(Index d, const std::vector<BoundedRow>& rows, double typical);

[[nodiscard]] OptimumRadius optimum_radius(const SampleProblem& problem, const Partition& components, const Matrix& w,
                                           const DualPoint& dual, const Balance& balance, ThreadTeam& team);

}  // namespace gtvmin
