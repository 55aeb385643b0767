// A loss of one's own: Huber's, which outliers cannot pull far. Value, gradient and prox are all the method needs.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "gtvmin/gtvmin.h"

using namespace gtvmin;

// L(w) = h(xᵀw − y) for one sample: h(r) = r²/2 up to |r| = 1, then |r| − ½.
struct HuberLoss final : LocalLoss {
  HuberLoss(Vector features, double label) : x(std::move(features)), y(label) {}
  Index dimension() const override { return x.size(); }
  double value(ConstVectorRef w) const override {
    const double r = std::abs(x.dot(w) - y);
    return r <= 1 ? r * r / 2 : r - 0.5;
  }
  void gradient(ConstVectorRef w, VectorRef g) const override { g = std::clamp(x.dot(w) - y, -1.0, 1.0) * x; }
  // z = v − (s/ρ)x with the slope s = h'(xᵀz − y).
  void prox(ConstVectorRef v, double rho, double /*tolerance*/, VectorRef z, VectorRef /*scratch*/) const override {
    z = v - std::clamp((x.dot(v) - y) / (1 + x.squaredNorm() / rho), -1.0, 1.0) / rho * x;
  }
  double lower_bound() const override { return 0; }
  Vector x;
  double y;
};

int main() {
  std::vector<LossPtr> losses;
  for (const double y : {1.0, 1.2, 50.0, 0.9}) losses.push_back(std::make_unique<HuberLoss>(Vector::Ones(1), y));
  auto graph = EmpiricalGraph::make(4, {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}});
  const auto problem = Problem::make(*std::move(graph), std::move(losses), L2Penalty{}, 2);
  const auto result = solve(*problem, {});
  std::printf("every node: w = %.3f, however large the outlier\n", result.w(0, 0));
  return result.status == SolveStatus::kEstimated && std::abs(result.w(0, 0) - 1.3666667) < 1e-2 ? 0 : 1;
}
