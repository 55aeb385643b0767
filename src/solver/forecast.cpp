#include "gtvmin/solver/forecast.h"

#include <algorithm>
#include <cmath>

#include "gtvmin/certify/rounding.h"

namespace gtvmin {

double Forecast::iterations_to(double target) const {
  if (points_.size() < first_ + 3) return kInfinity;
  const Point& now = points_.back();
  const Point& then = points_[(first_ + points_.size() - 1) / 2];
  const double fall = std::log(then.value / now.value);
  if (!(fall > 0.5)) return kInfinity;
  const double still_to_fall = std::max(0.0, std::log(now.value / target));
  return still_to_fall / fall * static_cast<double>(now.iteration - then.iteration);
}

}  // namespace gtvmin
