#pragma once

#include <cstdint>
#include <limits>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "gtvmin/base/rng.h"
#include "gtvmin/base/types.h"

namespace gtvmin {

/// Where the property suites look: at points of about this size, chosen by this seed.
struct PropertySampling {
  std::uint64_t seed = 1;
  double size = 1;
  int points = 12;
};

/// Collects the properties that do not hold, each once, with the numbers of the first counterexample.
class PropertyReport {
 public:
  /// `holds` is written so that it is false for NaN.
  template <class... Numbers>
  void expect(bool holds, const std::string& property, const char* what, const Numbers&... numbers) {
    if (holds || !seen_.insert(property).second) return;
    std::ostringstream text;
    text.precision(9);
    text << property << ": " << what;
    ((text << ' ' << numbers), ...);
    violations_.push_back(text.str());
  }
  [[nodiscard]] std::vector<std::string> violations() && { return std::move(violations_); }

 private:
  std::set<std::string> seen_;
  std::vector<std::string> violations_;
};

inline Vector random_vector(Rng& rng, Index d, double size) {
  Vector v(d);
  for (Index j = 0; j < d; ++j) v[j] = size * rng.normal();
  return v;
}

/// Memory of exactly `size` numbers between two guards. It starts as NaN, so reading it before writing shows, and
/// writing beyond it shows in intact().
class GuardedMemory {
 public:
  explicit GuardedMemory(Index size)
      : memory_(Vector::Constant(size + 2 * kGuard, std::numeric_limits<double>::quiet_NaN())), size_(size) {
    memory_.head(kGuard).setConstant(kMark);
    memory_.tail(kGuard).setConstant(kMark);
  }
  [[nodiscard]] double* data() { return memory_.data() + kGuard; }
  [[nodiscard]] Eigen::Map<Vector> view() { return {data(), size_}; }
  [[nodiscard]] bool intact() const {
    return (memory_.head(kGuard).array() == kMark).all() && (memory_.tail(kGuard).array() == kMark).all();
  }

 private:
  static constexpr Index kGuard = 8;
  static constexpr double kMark = 0x1.23456789abcdep+77;
  Vector memory_;
  Index size_;
};

}  // namespace gtvmin
