#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "gtvmin/base/exact_sum.h"
#include "gtvmin/base/result.h"
#include "gtvmin/solver/shard.h"
#include "gtvmin/solver/tuning.h"

namespace gtvmin {

/// What the shards tell each other at a check, summed exactly, so that everyone takes the same decisions.
struct SteeringSums {
  enum Quantity {
    kLoss,       // Σ L_i(w_i)
    kVariation,  // Σ A_e φ((Dw)_e)
    kEdgeGap,    // Σ κφ + κφ* − ⟨u, Dw⟩ at the edges
    kNodeGap,  // Σ ½r_iᵀH_i⁺r_i with r_i = ∇L_i(w_i) + (Dᵀu)_i: the nodes' share as far as losses are curved …
    kUncertainGap,  // … and Σ ‖r_i‖·‖w_i‖ of what is left: how much the residual may hide
    kPrimalMove2,   // Σ_i (Σ_{e∋i} c_e) ‖Δw_i‖² of this iteration
    kPrimalShift2,  // Σ_i (Σ_{e∋i} c_e) ‖Δw_i‖² since the window of the primal weight began
    kDualShift2,    // Σ_e (2/c_e) ‖Δu_e‖², the same
    kScale,         // Σ_i Σ_{e∋i} c_e
    kLogStiffness,  // Σ log(Σ_{e∋i} c_e / mean curvature of L_i) over the nodes with curvature …
    kCurvedNodes,   // … and their number
    kNonconvexNodes,
    kUnknownLosses,  // nodes whose loss is not a sum over samples of coupled parameters
    kInterrupted,    // how many processes were told to stop
    kAbsent,         // how many neighbours sites go on without
    kMiss,       // of a certificate: Σ of what the flow misses at nodes after their losses have absorbed what they can
    kResidual2,  // Σ ‖r_i‖², Σ ‖∇L_i(w_i)‖², Σ ‖(Dᵀu)_i‖²
    kGradient2,
    kFlow2,
    kQuantities
  };
  enum Maximum {
    kLongest,      // ‖w_i‖
    kLargestMiss,  // of a certificate, at a node, and what it is compared with
    kLargestSize,
    kSeconds,  // since the start, by the clock of any process
    kMaxima
  };
  std::array<ExactSum, kQuantities> sums;
  std::array<double, kMaxima> maxima{};

  void add(const SteeringSums& other);
  void raise(Maximum maximum, double value) { maxima[maximum] = std::max(maxima[maximum], value); }
  [[nodiscard]] double operator[](Quantity quantity) const { return sums[quantity].value(); }
  [[nodiscard]] double objective(double lambda) const { return (*this)[kLoss] + lambda * (*this)[kVariation]; }
  /// How far the objective may be above the optimum, roughly.
  [[nodiscard]] double gap_estimate() const { return (*this)[kEdgeGap] + (*this)[kNodeGap] + (*this)[kUncertainGap]; }
};

/// As bytes that travel, and back. Whatever the bytes are, nothing worse than an error comes of them.
[[nodiscard]] std::string pack(const SteeringSums& sums);
[[nodiscard]] Result<SteeringSums> unpack(std::string_view bytes);

/// The shard's share of kScale, kLogStiffness and kCurvedNodes.
[[nodiscard]] SteeringSums measure_stiffness(const Shard& shard);

/// Adds kPrimalShift2 and kDualShift2 of the shard.
void add_displacement(const Shard& shard, SteeringSums& sums);

/// Steers the primal weight ω of the step sizes τ_i = ω/Σ_{e∋i} c_e, σ_e = c_e/(2ω).
///
/// It starts where a primal step matches the typical curvature of the losses. Over windows that grow with the number of
/// iterations it compares how far w and u have come, in the norms of the method: the iteration converges fastest about
/// where ω is the ratio of the two distances to the solution, which the displacements estimate. Single steps would not
/// do: where the iteration spirals they tell of the spiral, not of the way.
class PrimalWeight {
 public:
  /// All of it, to be kept.
  struct State {
    double omega = 1;
    std::int64_t window_end = 0;  // the iteration from which on ω may change
    std::int64_t changes = 0;
  };

  PrimalWeight() = default;
  explicit PrimalWeight(const SteeringSums& stiffness);
  /// As it was.
  explicit PrimalWeight(const State& state) : state_(state) {}

  [[nodiscard]] double value() const { return state_.omega; }
  [[nodiscard]] std::int64_t changes() const { return state_.changes; }
  [[nodiscard]] const State& state() const { return state_; }
  /// Starts again from another weight.
  void restart(double omega) { state_ = {.omega = omega, .window_end = 0, .changes = state_.changes + 1}; }
  [[nodiscard]] bool due(std::int64_t iteration) const { return iteration >= state_.window_end; }
  /// Changes ω by the displacements of the window that ends here, and opens the next.
  void adapt(const SteeringSums& sums, std::int64_t iteration, const SolverTuning& tuning);

 private:
  State state_;
};

}  // namespace gtvmin
