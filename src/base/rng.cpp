#include "gtvmin/base/rng.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <unordered_set>

#include "gtvmin/base/normal_pair.h"

namespace gtvmin {
namespace {

// SplitMix64: spreads a seed over the whole state.
std::uint64_t split_mix(std::uint64_t& x) {
  x += 0x9e3779b97f4a7c15ULL;
  std::uint64_t z = x;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace

Rng::Rng(std::uint64_t seed, std::uint64_t stream) : state_{} {
  std::uint64_t x = seed;
  std::uint64_t y = split_mix(x) ^ (stream * 0xd1342543de82ef95ULL);
  for (auto& word : state_) word = split_mix(y);
}

std::uint64_t Rng::bits() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double Rng::uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

std::uint64_t Rng::below(std::uint64_t bound) {
  assert(bound >= 1);
  const std::uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
  std::uint64_t x = bits();
  while (x >= limit) x = bits();
  return x % bound;
}

double Rng::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_normal_;
  }
  const auto [first, second] = normal_pair([this] { return bits(); });
  spare_normal_ = second;
  has_spare_ = true;
  return first;
}

// Floyd's sampling; the answer is sorted so that it does not depend on the order of draws.
std::vector<std::uint64_t> Rng::choose(std::uint64_t bound, std::uint64_t count) {
  assert(count <= bound);
  std::unordered_set<std::uint64_t> chosen;
  for (std::uint64_t top = bound - count; top < bound; ++top) {
    const std::uint64_t pick = below(top + 1);
    chosen.insert(chosen.contains(pick) ? top : pick);
  }
  std::vector<std::uint64_t> sorted(chosen.begin(), chosen.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

}  // namespace gtvmin
