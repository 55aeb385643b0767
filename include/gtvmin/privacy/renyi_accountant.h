#pragma once

#include <cstdint>

namespace gtvmin {

/// What Gaussian releases cost, by Rényi differential privacy (Mironov, "Rényi differential privacy", CSF 2017).
///
/// One release with noise multiplier z (standard deviation over sensitivity) is (α, α/(2z²))-RDP for every order α > 1,
/// k of them, chosen one after the other, are (α, kα/(2z²))-RDP. Of that follows (ε, δ)-DP with
///   ε = kα/(2z²) + log((α − 1)/α) − (log δ + log α)/(α − 1),
/// the conversion of Balle, Barthe, Gaboardi, Hsu and Sato (AISTATS 2020, theorem 21) and Canonne, Kamath and Steinke
/// (NeurIPS 2020, proposition 12), at the best α of a grid from 1.01 to 10⁶.
class RenyiAccountant {
 public:
  /// Noise multiplier > 0.
  explicit RenyiAccountant(double noise_multiplier) : multiplier_(noise_multiplier) {}

  /// The Rényi divergence of order α after `releases`.
  [[nodiscard]] double divergence(double alpha, std::int64_t releases) const;
  /// ε at δ in (0, 1) after `releases`; 0 if there were none, ∞ where nothing can be said.
  [[nodiscard]] double spent(double delta, std::int64_t releases) const;
  /// The largest number of releases with spent(δ, …) ≤ ε.
  [[nodiscard]] std::int64_t releases_within(double epsilon, double delta) const;

 private:
  double multiplier_;
};

}  // namespace gtvmin
