#pragma once

#include <string>
#include <vector>

namespace gtvmin {

/// Maps numbers to a stretch of the page, and says where ticks go.
class Axis {
 public:
  /// The axis holds `low` … `high` (0 < low on a logarithmic one) and a little room; `from` and `to` are page
  /// coordinates, in either order.
  Axis(double low, double high, bool logarithmic, double from, double to);

  [[nodiscard]] double position(double value) const;
  [[nodiscard]] bool holds(double value) const;

  struct Tick {
    double value = 0;
    std::string label;
  };
  /// Round numbers; on a logarithmic axis powers of ten.
  [[nodiscard]] std::vector<Tick> ticks() const;

 private:
  [[nodiscard]] double along(double value) const;
  bool logarithmic_;
  double low_;  // logarithms on a logarithmic axis
  double high_;
  double from_;
  double to_;
};

}  // namespace gtvmin
