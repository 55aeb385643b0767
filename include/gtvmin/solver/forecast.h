#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace gtvmin {

/// Follows a quantity that falls towards 0 over the iterations, and says when it will be there.
class Forecast {
 public:
  explicit Forecast(std::size_t expected_points = 0) { points_.reserve(expected_points); }

  /// A value that is not finite yet says nothing about how the others fall.
  void add(std::int64_t iteration, double value) {
    if (std::isfinite(value)) points_.push_back({iteration, value});
  }
  /// The state is another: what came before says nothing about what follows.
  void restart() { first_ = points_.size(); }
  /// How many iterations are left until it is `target`, if it keeps falling as it did over the last half of the
  /// points; +∞ if it hardly falls or too little is known.
  [[nodiscard]] double iterations_to(double target) const;

 private:
  struct Point {
    std::int64_t iteration = 0;
    double value = 0;
  };
  std::vector<Point> points_;
  std::size_t first_ = 0;
};

}  // namespace gtvmin
