#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace gtvmin {

/// Seeded random numbers with the same bits on every machine: xoshiro256** over integers, and normals that use
/// nothing but correctly rounded operations (no libm).
class Rng {
 public:
  /// `stream` gives independent sequences for one seed, so that e.g. edges do not change when noise is switched on.
  explicit Rng(std::uint64_t seed, std::uint64_t stream = 0);

  std::uint64_t bits();
  /// Uniform in [0, 1), 53 random bits.
  double uniform();
  /// Uniform in {0, …, bound − 1}, unbiased; bound ≥ 1.
  std::uint64_t below(std::uint64_t bound);
  /// Standard normal.
  double normal();
  /// `count` distinct numbers out of {0, …, bound − 1}, ascending.
  std::vector<std::uint64_t> choose(std::uint64_t bound, std::uint64_t count);

 private:
  std::array<std::uint64_t, 4> state_;
  double spare_normal_ = 0;
  bool has_spare_ = false;
};

/// Puts the entries in random order, each order equally likely.
template <class Entries>
void shuffle(Entries&& entries, Rng& rng) {
  using Position = decltype(entries.size());
  for (Position k = entries.size(); k > 1; --k) {
    std::swap(entries[k - 1], entries[static_cast<Position>(rng.below(static_cast<std::uint64_t>(k)))]);
  }
}

}  // namespace gtvmin
