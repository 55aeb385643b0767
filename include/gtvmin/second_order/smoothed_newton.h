#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "gtvmin/base/thread_team.h"
#include "gtvmin/base/types.h"
#include "gtvmin/certify/dual_point.h"
#include "gtvmin/problem/sample_problem.h"
#include "gtvmin/second_order/block_cholesky.h"
#include "gtvmin/second_order/elimination_plan.h"

namespace gtvmin {

/// The constants of SmoothedNewton.
struct SmoothedNewtonTuning {
  /// Factor on the smoothing after a full step that solved its smoothed problem well enough; in (0, 1).
  double shrink = 0.2;
  /// The same once a step had to be shortened, and for the maximum norm with several coordinates.
  double careful_shrink = 0.4;
  /// Well enough: the expected decrease of the step is at most this multiple of the smoothing error.
  double solved_ratio = 0.5;
  /// Fraction of the expected decrease that a step must attain (Armijo); in (0, ½).
  double sufficient_decrease = 1e-4;
  /// Relative regularisation of the diagonal, raised by a factor of 100 while the factorisation fails.
  double regularisation = 1e-17;
  double largest_regularisation = 1e-3;
};

/// Newton's method on the smoothed problem, with a dual variable for every kink (of a norm or of a loss) that is kept
/// in its domain, while the smoothing goes to 0.
///
/// A norm is a minimum or a sum of absolute values and Euclidean norms |v|, each replaced by √(|v|² + ε²). The dual
/// variable u of |v| enters the curvature κ/η (I − ½(uvᵀ + vuᵀ)/(κη)), η = √(|v|² + ε²), in place of κv/η, which is
/// what makes the method fast (Conn, Overton; Hintermüller, Stadler). A full step gives flows u⁺ = û + Θdv and slopes
/// p⁺ = g + h dz that satisfy the balance of a DualPoint up to the residual of the linear system, whatever the rank of
/// the data.
class SmoothedNewton {
 public:
  enum class Step {
    kAccepted,
    kStuck,   ///< no further progress is possible in this arithmetic
    kStopped  ///< stop() returned true
  };

  /// Starts at w (D × groups); `scale` is an estimate of F(w) − F*, which sets the first smoothing.
  SmoothedNewton(const SampleProblem& problem, const EliminationPlan& plan, Matrix w, double scale, ThreadTeam& team,
                 const SmoothedNewtonTuning& tuning = {});

  Step step(const std::function<bool()>& stop);

  [[nodiscard]] const Matrix& w() const { return w_; }
  /// Flows and slopes of the last step, not yet within their domains.
  [[nodiscard]] const DualPoint& dual() const { return dual_; }
  /// Gap that smoothing alone leaves at the last linearisation: Σ κφ(v) − ⟨û, v⟩ over edges, and likewise over samples.
  [[nodiscard]] double smoothing_error() const { return smoothing_error_; }
  [[nodiscard]] double smoothing() const { return epsilon_; }
  [[nodiscard]] std::int64_t steps() const { return steps_; }
  /// Evaluations of the objective in line searches, of all steps.
  [[nodiscard]] std::int64_t evaluations() const { return evaluations_; }
  /// False where the problem is smooth: one smoothing (none) serves from the start.
  [[nodiscard]] bool has_kinks() const { return kinks_; }

 private:
  [[nodiscard]] Index members() const { return problem_.problem().nodes(); }
  void find_scores(const Matrix& at, Vector& scores) const;
  void linearise();
  [[nodiscard]] double measure_smoothing() const;
  bool solve_system(const std::function<bool()>& stop, bool& stopped);
  void multiply(const Matrix& x, Matrix& out) const;
  [[nodiscard]] double smoothed_objective(double length);
  void update_duals();
  void update_smoothing(double length, double decrease);

  const SampleProblem& problem_;
  ThreadTeam& team_;
  SmoothedNewtonTuning tuning_;
  BlockCholesky factor_;
  Index all_;     // D
  Index d_;       // coupled
  Index states_;  // dual numbers of an edge
  bool kinks_ = false;
  bool careful_ = false;
  double epsilon_ = 0;
  double epsilon_start_ = 0;
  double delta_start_ = 0;
  double kappa_sum_ = 0;  // of weights as far as flows can use them
  double slope_sum_ = 0;
  double smoothing_error_ = 0;
  double regularisation_;
  int stuck_ = 0;
  std::int64_t steps_ = 0;
  std::int64_t evaluations_ = 0;
  Matrix w_, dw_, gradient_;
  Matrix v_, dv_;
  Vector z_, dz_;
  Vector p_;                  // slopes of samples with kinks, within their domain
  Matrix state_;              // dual numbers of edges, within their domain
  Vector slope_, curvature_;  // of the smoothed samples
  Matrix flow_;               // û
  std::vector<double> diagonal_, off_;
  DualPoint dual_;
};

}  // namespace gtvmin
