#pragma once

#include <vector>

#include "gtvmin/base/thread_team.h"
#include "gtvmin/base/types.h"
#include "gtvmin/graph/empirical_graph.h"
#include "gtvmin/problem/sample_problem.h"

namespace gtvmin {

/// A point of the dual problem: a flow per edge, a slope per sample, and a slope per parameter of a quadratic term.
/// With y_i = Σ_r weight p_r x_r + stiffness ∘ q_i, the point is feasible if y_i + (Dᵀu)_i = 0 at every node and all
/// conjugates are finite. Then for every W
///     F(W) − F* ≤ Σ_e [κφ(v_e) + κφ*(u_e/κ) − ⟨u_e, v_e⟩] + Σ_r weight [ℓ(z_r) + ℓ*(p_r) − p_r z_r]
///                 + Σ_ij stiffness_ij (w_ij − centre_ij − q_ij/2)²,
/// a sum of terms ≥ 0 (Fenchel–Young).
struct DualPoint {
  Matrix u;  // d × edges
  Vector p;  // one per sample
  Matrix q;  // D × members; empty if no loss has a quadratic term
  // What is to be added to the above, beyond the precision of a double; empty: nothing.
  Matrix u_low;
  Vector p_low;
  Matrix q_low;
  [[nodiscard]] bool has_low() const {
    return u_low.size() == u.size() && p_low.size() == p.size() && q_low.size() == q.size();
  }
};

/// y_i + (Dᵀu)_i of every group, D × groups, and a bound on its rounding error.
struct Balance {
  Matrix residual;
  Matrix error;
};
[[nodiscard]] Balance balance(const SampleProblem& problem, const DualPoint& dual, ThreadTeam& team);

/// ‖u_e‖_*/κ_e, the utilisation of every edge, for a norm penalty; 0 for any other.
[[nodiscard]] Vector edge_utilisation(const SampleProblem& problem, const Matrix& u, ThreadTeam& team);

/// Adds a flow along the edges of a spanning forest that moves the residual of every group to the root of its tree. The
/// forest prefers edges with slack. Parameters that no edge couples keep their residual.
void route_residual(const SampleProblem& problem, const Matrix& residual, ThreadTeam& team, DualPoint& dual);

/// Brings slopes and flows into the domain of the conjugates: slopes are clipped where the domain is one-sided, then
/// everything within a component is scaled by one factor ≤ 1, which keeps the balance.
void scale_into_domain(const SampleProblem& problem, const Partition& components, ThreadTeam& team, DualPoint& dual);

/// Removes the residual of the balance down to twice the precision of a double, by low parts of flows and slopes: along
/// a spanning forest to its roots, and there by slopes of samples anywhere in the tree. So what a radius multiplies is
/// nothing even where the radius is poor.
void refine_balance(const SampleProblem& problem, const Partition& components, ThreadTeam& team, DualPoint& dual);

/// The terms of the duality gap of (W, dual): what every group and every edge adds, with an allowance for rounding.
struct GapTerms {
  Vector nodes;
  Vector edges;
  [[nodiscard]] double sum() const;
};
[[nodiscard]] GapTerms gap_terms(const SampleProblem& problem, const Matrix& w, const DualPoint& dual,
                                 ThreadTeam& team);

}  // namespace gtvmin
