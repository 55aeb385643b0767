// A penalty of one's own: a norm that is rounded off near 0, so that close neighbours are not forced to be equal.
#include <algorithm>
#include <cstdio>
#include <limits>

#include "gtvmin/gtvmin.h"
#include "gtvmin/loss/quadratic_loss.h"

using namespace gtvmin;

// φ(v) = ‖v‖²/(2δ) up to ‖v‖ = δ, then ‖v‖ − δ/2. So κφ*(u/κ) = δ‖u‖²/(2κ) on the ball ‖u‖ ≤ κ.
struct RoundedNorm final : PenaltyFunction {
  std::string name() const override { return "rounded_norm"; }
  double value(ConstVectorRef v) const override {
    const double length = v.norm();
    return length <= delta ? length * length / (2 * delta) : length - delta / 2;
  }
  double conjugate(ConstVectorRef u, double kappa) const override {
    if (u.norm() > kappa * (1 + 1e-12)) return std::numeric_limits<double>::infinity();
    return kappa == 0 ? 0 : delta * u.squaredNorm() / (2 * kappa);
  }
  void dual_update(VectorRef x, double kappa, double sigma) const override {
    x /= 1 + sigma * delta / kappa;
    if (x.norm() > kappa) x *= kappa / x.norm();
  }
  double delta = 0.5;
};

int main() {
  std::vector<LossPtr> losses;
  for (const double a : {0.0, 0.2, 4.0}) losses.push_back(QuadraticLoss::points(Matrix::Constant(1, 1, a), 1, 0));
  auto graph = EmpiricalGraph::make(3, {{0, 1, 1}, {1, 2, 1}});
  Penalty penalty = CustomPenalty(std::make_unique<RoundedNorm>());
  const auto problem = Problem::make(*std::move(graph), std::move(losses), std::move(penalty), 1);
  const auto result = solve(*problem, {});
  std::printf("w = %.3f %.3f %.3f\n", result.w(0, 0), result.w(0, 1), result.w(0, 2));
  return std::abs(result.w(0, 2) - 3.5) < 1e-3 ? 0 : 1;  // nothing is proved about a penalty that is not built in
}
