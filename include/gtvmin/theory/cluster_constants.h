#pragma once

#include <span>
#include <vector>

#include "gtvmin/base/types.h"
#include "gtvmin/problem/problem.h"
#include "gtvmin/theory/norm_constants.h"

namespace gtvmin {

/// The minimiser w̄_C of f_C = Σ_{i∈C} L_i, and what is known about f_C there.
struct ClusterMinimiser {
  Vector w;
  /// False if f_C only falls towards a minimum at infinity, as with separable classes and no ridge.
  bool attained = true;
  Matrix gradients;         ///< ∇L_i(w), one column per node of C
  Vector residual;          ///< ∇f_C(w): what rounding has left of it
  SpectralInverse hessian;  ///< ∇²f_C(w)
  double error = 0;         ///< at least ‖w − w̄_C‖, w̄_C the nearest minimiser
};
[[nodiscard]] ClusterMinimiser minimise_cluster(const Problem& problem, std::span<const NodeId> nodes);

/// Curvature in the ball ‖w − w̄_C‖ ≤ radius, and for which λ the optimum lies there: if λ|∂C| < α·radius, then
/// ‖ŵ_C − w̄_C‖ ≤ λ|∂C|/α, since ∇f_C grows along the segment from w̄_C to ŵ_C.
struct CurvatureStep {
  double radius = 0;        ///< ∞ for quadratic losses
  double alpha = 0;         ///< modulus of strong convexity of f_C in the ball
  double lambda_limit = 0;  ///< α·radius/|∂C|; ∞ without a boundary
  Vector beta;              ///< Lipschitz constant of ∇L_i in the ball, per node of C
  Vector kappa;  ///< at least ‖∇L_i(w) − ∇L_i(w̄_C)‖_*/‖∇f_C(w)‖_* in the ball, per node of C
};

/// All that the conditions of the analysis say about one cluster C. Weights of edges are those of the graph, without λ.
struct ClusterConstants {
  std::vector<NodeId> nodes;
  ClusterMinimiser minimiser;
  Vector boundary_of;                ///< b_i: the weight of the edges of node i that leave C
  double boundary = 0;               ///< |∂C| = Σ b_i
  Vector delta;                      ///< δ_i ≥ ‖∇L_i(w̄_C)‖_*, the error of w̄_C included
  bool quadratic = false;            ///< every loss has a constant Hessian
  std::vector<CurvatureStep> steps;  ///< by increasing lambda_limit; none if f_C is not strongly convex

  /// At least ‖ŵ_C − w̄_C‖ if ŵ is constant on C: λ|∂C|/α. ∞ where no step reaches λ.
  [[nodiscard]] double deviation_bound(double lambda) const;
  /// The largest λ that a step reaches.
  [[nodiscard]] double lambda_limit() const { return steps.empty() ? 0 : steps.back().lambda_limit; }
};

/// Problems without an analysis_refusal; `boundary_of` are the b_i. `lambda` > 0: for losses that are not quadratic, a
/// step is added that is as short as this λ permits.
[[nodiscard]] ClusterConstants cluster_constants(const Problem& problem, std::span<const NodeId> nodes,
                                                 Vector boundary_of, double lambda = 0);

}  // namespace gtvmin
