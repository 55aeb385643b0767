#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "gtvmin/solver/forecast.h"
#include "gtvmin/solver/solver_state.h"
#include "gtvmin/solver/steering.h"

namespace gtvmin {

/// How far the objective may still be above the optimum, roughly, as the sums of every check tell it for nothing.
class GapEstimate {
 public:
  explicit GapEstimate(std::size_t expected_checks) : course_(expected_checks) {}

  void take(const SteeringSums& sums, const SolverState& state) {
    value_ = sums.gap_estimate();
    is_exact_ = sums[SteeringSums::kUncertainGap] == 0;
    relative_ = value_ / std::max({std::abs(state.progress.objective), 1e-9 * state.size_at_start, 1e-300});
    course_.add(state.progress.iteration, relative_);
  }
  /// What a certificate of this state really proves corrects what is said from now on.
  void compare(double certified) { ratio_ = certified / relative_; }
  /// The state is another one now.
  void restart() { course_.restart(); }

  [[nodiscard]] double relative() const { return relative_; }
  /// What a certificate will presumably say.
  [[nodiscard]] double promise() const { return relative_ * correction(); }
  [[nodiscard]] double promised_value() const { return value_ * correction(); }
  /// Whether a certificate could prove `tolerance`. Where losses may absorb what the flow misses, estimates exceed
  /// certificates many times over.
  [[nodiscard]] bool may_prove(double tolerance) const { return promise() <= slack() * tolerance; }
  /// How many iterations message passing alone still needs.
  [[nodiscard]] double iterations_to(double tolerance) const { return course_.iterations_to(tolerance / correction()); }

 private:
  [[nodiscard]] double correction() const { return std::min(1.0, ratio_); }
  [[nodiscard]] double slack() const { return is_exact_ ? 1 : 1000; }

  double value_ = std::numeric_limits<double>::infinity();
  double relative_ = std::numeric_limits<double>::infinity();
  double ratio_ = 1;
  bool is_exact_ = false;
  Forecast course_;
};

}  // namespace gtvmin
