#pragma once

#include <vector>

#include "gtvmin/base/result.h"
#include "gtvmin/base/stop.h"
#include "gtvmin/base/types.h"
#include "gtvmin/problem/problem.h"

namespace gtvmin {

/// The least λ at which a component of the graph is one cluster: below `low` no optimum is constant on it, above `high`
/// every optimum is.
struct CriticalLambda {
  std::vector<NodeId> nodes;
  double low = 0;
  double high = 0;
  bool exact = false;  ///< a tree: low and high are the critical λ up to rounding
};

struct CriticalOptions {
  /// Stop once high ≤ ratio · low.
  double ratio = 1.001;
  int threads = 1;
  /// Solves per component; the interval is valid after any number of them.
  int most_solves = 60;
};

/// One interval per component, in the order of their smallest nodes. With w̄ the minimiser of Σ L_i over the component
/// and c_i = −∇L_i(w̄), the constant w̄ is optimal exactly if c = Dᵀu for flows with ‖u_e‖_* ≤ λA_e. Hence
///     critical λ = min over such u of max_e ‖u_e‖_*/A_e = max over v of Σ⟨c_i, v_i⟩/Σ_e A_e φ((Dv)_e),
/// any u bounds it from above and any v from below. Trees have one flow only. On other graphs Newton's method on λ:
/// the solution w of min ½Σ‖w_i − c_i‖² + λ Σ A_e φ(Dw) is the next v, and its ratio the next λ.
///
/// Fails with a usage error for a penalty that is not a norm, for losses that are not convex and differentiable or have
/// no Hessian, and for a component whose losses have no common minimiser; and with interrupted().
[[nodiscard]] Result<std::vector<CriticalLambda>> critical_lambda(const Problem& problem,
                                                                  const CriticalOptions& options = {},
                                                                  const Stop& stop = {});

}  // namespace gtvmin
