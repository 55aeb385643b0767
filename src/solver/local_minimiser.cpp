#include "gtvmin/solver/local_minimiser.h"

#include <algorithm>
#include <cmath>

namespace gtvmin {

// Proximal point steps with a proximity term that fades: each moves within the span of gradients, so the limit is the
// minimiser nearest to the start, and each is well posed even where the loss has no minimiser.
LocalMinimiser minimise_locally(const LocalLoss& loss, const std::function<bool()>& stop) {
  const Index d = loss.dimension();
  LocalMinimiser result{Vector(d), true};
  loss.start(result.w);
  Vector gradient(d);
  Vector scratch(loss.scratch_size());
  loss.gradient(result.w, gradient);
  const double start = gradient.norm();
  if (start == 0) return result;
  double rho = start;
  constexpr int kMostSteps = 40;
  for (int step = 0; step < kMostSteps; ++step) {
    if (stop && stop()) return result;
    const Vector before = result.w;
    loss.prox(before, rho, 0, result.w, scratch);
    if (loss.is_smooth()) {
      loss.gradient(result.w, gradient);
    } else {
      gradient = rho * (before - result.w);  // the subgradient with which the step is optimal
    }
    // A gradient that fades while w keeps moving belongs to a minimum at infinity.
    const double move = (result.w - before).norm() / result.w.norm();
    const bool stands_still = step > 12 && move <= 1e-15;
    result.attained = stands_still || (move <= 1e-6 && gradient.norm() <= 1e-9 * start);
    if (stands_still || (result.attained && gradient.norm() <= 1e-14 * start)) return result;
    rho = std::max(rho / 10, 1e-12 * start);
  }
  return result;
}

}  // namespace gtvmin
