#pragma once

#include <limits>
#include <optional>

#include "gtvmin/base/thread_team.h"
#include "gtvmin/base/types.h"
#include "gtvmin/certify/certify.h"
#include "gtvmin/certify/rounding.h"
#include "gtvmin/solver/problem_facts.h"

namespace gtvmin {

/// The best parameters and the best dual point that any method has found, each kept for itself: the first by their
/// objective, the second by the lower bound of the optimal value that it proves. Whole problems whose losses are sums
/// over samples.
class Incumbent {
 public:
  /// `facts` must outlive it. `start_objective` is |F| before the first iteration.
  Incumbent(const ProblemFacts& facts, double start_objective, double tolerance, ThreadTeam& team);

  /// Parameters of all nodes, D × nodes. True if they are better than the best so far.
  bool offer(const Matrix& parameters);
  /// A dual point, feasible or not. True if it proves or promises more than the best so far.
  bool offer(DualPoint dual);
  /// Takes parameters that are constant on clusters in place of the best, which may be better by less than the gap.
  void fuse(Matrix parameters);
  /// Proves a bound with the best dual point if none is proved yet for it.
  void prove();

  [[nodiscard]] bool empty() const { return parameters_.size() == 0; }
  [[nodiscard]] const Matrix& parameters() const { return parameters_; }
  [[nodiscard]] const DualPoint& dual() const { return dual_; }
  [[nodiscard]] double objective() const { return static_cast<double>(objective_); }
  /// The proved relative gap; +∞ if nothing is proved.
  [[nodiscard]] double proved() const {
    return proved_ ? relative_gap(gap(), objective(), start_objective_) : kInfinity;
  }
  /// The same as far as it is known, proved or not.
  [[nodiscard]] double promised() const { return relative_gap(gap(), objective(), start_objective_); }
  /// F − lower bound.
  [[nodiscard]] double gap() const { return static_cast<double>(objective_ - lower_bound_); }
  /// Of the best pair.
  [[nodiscard]] const Certificate& certificate();
  [[nodiscard]] bool has_dual() const { return has_dual_; }

 private:
  const ProblemFacts& facts_;
  double start_objective_;
  double tolerance_;
  ThreadTeam& team_;
  Matrix parameters_;
  long double objective_ = kInfinity;
  DualPoint dual_;
  bool has_dual_ = false;
  bool proved_ = false;
  long double lower_bound_ = -kInfinity;
  std::optional<Certificate> certificate_;  // of the best pair, once it has been asked for
};

}  // namespace gtvmin
