#pragma once

#include "gtvmin/base/thread_team.h"
#include "gtvmin/baselines/baseline.h"

namespace gtvmin {

/// F(w) = Σ_i L_i(w_i) + λ Σ_e A_e φ(w_{e₊} − w_{e₋}) with the (sub)gradient that automatic differentiation takes: of a
/// norm, 0 at 0; of max_j |v_j|, shared equally by the largest. The same bits for every number of threads.
class WholeObjective {
 public:
  WholeObjective(const Problem& problem, int threads);

  /// F(w), and its (sub)gradient where F(w) is finite. NaN and ∞ mean that w is outside the domain.
  double operator()(const Matrix& w, Matrix& gradient);

  /// True if the penalty has a (sub)gradient that is known here: all but those that users bring.
  [[nodiscard]] static bool knows(const Penalty& penalty);

 private:
  const Problem& problem_;
  ThreadTeam team_;
  Vector losses_;     // of nodes
  Vector penalties_;  // of edges, with their weight
  Matrix flow_;       // κ∇φ of edges
};

}  // namespace gtvmin
