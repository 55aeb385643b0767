#pragma once

#include <vector>

#include "gtvmin/base/types.h"
#include "gtvmin/graph/empirical_graph.h"
#include "gtvmin/penalty/penalty.h"

namespace gtvmin {

/// Electric currents in a connected graph whose edge weights are conductances: R_ei is the current on edge e for a unit
/// put in at node i and taken out evenly everywhere. Demands g_i with Σ g_i = 0 are met by the flow u_e = Σ_i R_ei g_i.
/// Holds a dense matrix of nodes².
class ElectricCurrents {
 public:
  explicit ElectricCurrents(const EmpiricalGraph& graph);

  /// The row R_e.
  void row(EdgeId e, VectorRef currents) const;
  /// What rounding has left of the balance, routed along any tree, adds at most defect · Σ_i ‖g_i‖ to the flow of an
  /// edge.
  [[nodiscard]] double defect() const { return defect_; }
  [[nodiscard]] const EmpiricalGraph& graph() const { return *graph_; }

 private:
  const EmpiricalGraph* graph_;
  Matrix potentials_;  // (L + c·11ᵀ)⁻¹
  double defect_ = 0;
};

/// The least λ for which a flow by currents has slack on every edge, for every larger λ too; ∞ if there is none.
struct CurrentThreshold {
  double lambda = 0;
  EdgeId edge = 0;  ///< the edge that asks for it
};

/// For demands with ‖g_i‖_* ≤ λ fixed_i + scaled_i: min_c Σ_i (λ fixed_i + scaled_i)|R_ei − c| < λA_e on every edge. A
/// constant c changes nothing, since demands add up to 0; the best one is a weighted median.
[[nodiscard]] CurrentThreshold current_threshold(const ElectricCurrents& currents, const Vector& fixed,
                                                 const Vector& scaled);

/// What quadratic losses say about the demands of a cluster: g_i = gradient_i − H_iH_C⁻¹(Σ_k q_k + Σ_k gradient_k) +
/// q_i with any flows ‖q_k‖_* ≤ λb_k over the boundary.
struct QuadraticDemands {
  Matrix gradients;       ///< d × nodes, at w̄_C
  Matrix responses;       ///< d² × nodes: H_iH_C⁻¹, columns one below the other
  Vector boundary;        ///< b_k
  Vector gradient_bound;  ///< at least ‖gradient_i‖_*
  Vector response_bound;  ///< at least ‖H_iH_C⁻¹‖_{*→*}
  double rounding = 0;    ///< of the responses, as a fraction
};

/// ‖Σ_i R_ei gradient_i‖_* + λ Σ_k b_k ‖Σ_i R_ei H_iH_C⁻¹ − R_ek I‖_{*→*} < λA_e on every edge.
[[nodiscard]] CurrentThreshold quadratic_current_threshold(const ElectricCurrents& currents, const Penalty& penalty,
                                                           const QuadraticDemands& demands);

/// A forecast, in operations of about a nanosecond, of the currents of a graph and `medians` calls of
/// current_threshold, or one of quadratic_current_threshold if that is 0.
[[nodiscard]] double current_routing_work(const EmpiricalGraph& graph, Index dimension, Index medians);

}  // namespace gtvmin
