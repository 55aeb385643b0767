#pragma once

#include <cstdint>

namespace gtvmin {

/// Adds up what Gaussian releases cost, by Rényi differential privacy (Mironov, "Rényi differential privacy", CSF
/// 2017).
///
/// One release with noise multiplier z (standard deviation over sensitivity) is (α, α/(2z²))-RDP for every order α > 1,
/// and releases that are chosen one after the other add up, also if their multipliers differ: together they are (α,
/// αρ)-RDP with ρ = Σ 1/(2z²). Of that follows (ε, δ)-DP with
///   ε = αρ + log((α − 1)/α) − (log δ + log α)/(α − 1),
/// the conversion of Balle, Barthe, Gaboardi, Hsu and Sato (AISTATS 2020, theorem 21) and Canonne, Kamath and Steinke
/// (NeurIPS 2020, proposition 12), at the best α of a grid from 1.01 to 10⁶.
class RenyiAccountant {
 public:
  /// Counts `releases` ≥ 0 with a noise multiplier > 0.
  void add(double noise_multiplier, std::int64_t releases);

  /// The Rényi divergence of order α of all releases.
  [[nodiscard]] double divergence(double alpha) const { return alpha * rho_; }
  /// ε at δ in (0, 1); 0 if there were no releases, ∞ where nothing can be said.
  [[nodiscard]] double spent(double delta) const;
  /// How many more releases there may be until spent(δ) > ε.
  [[nodiscard]] std::int64_t releases_left(double noise_multiplier, double epsilon, double delta) const;
  /// The least noise multiplier with which `releases` more stay within ε at δ, up to rounding; ∞ if none does.
  [[nodiscard]] double least_multiplier(std::int64_t releases, double epsilon, double delta) const;
  /// Which fraction of all that ε at δ allows is left, counted in divergence.
  [[nodiscard]] double share_left(double epsilon, double delta) const;

 private:
  double rho_ = 0;
};

}  // namespace gtvmin
