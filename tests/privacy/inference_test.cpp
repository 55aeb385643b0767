// What docs/privacy.md says that a neighbour can infer: done.

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>

#include "gtvmin/io/dataset_reader.h"
#include "gtvmin/problem/model.h"
#include "gtvmin/solver/solver.h"

namespace gtvmin {
namespace {

/// Joins two shards. The one that owns node 1 keeps what it sees of node 0, its only other node: for every iteration
/// the parameters, and the gradient of the loss there. The primal update w⁺ = prox(w − τ Dᵀu) says that this gradient
/// is (w − w⁺)/τ − Dᵀu; the neighbour has w⁺ from the message and all the rest from its own state.
class CuriousExchange final : public Exchange {
 public:
  [[nodiscard]] Status swap(std::span<Shard> shards) override {
    for (Shard& to : shards) {
      for (const Shard& from : shards) {
        if (to.nodes[to.owned()] == from.nodes[0]) to.w_next.col(to.owned()) = from.w_next.col(0);
      }
    }
    const Shard& own = shards[1];
    const Index ghost = own.owned();
    const double tau = 1;  // Algorithm 1 at a node of degree 1
    points.push_back(own.w_next.col(ghost));
    gradients.push_back((own.w.col(ghost) - own.w_next.col(ghost)) / tau - own.signs[0] * own.u.col(0));
    return Unit{};
  }
  [[nodiscard]] Result<SteeringSums> sum(std::span<const SteeringSums> parts) override {
    SteeringSums total;
    for (const SteeringSums& part : parts) total.add(part);
    return total;
  }

  std::vector<Vector> points;
  std::vector<Vector> gradients;
};

TEST(Inference, ANeighbourThatHoldsAllEdgesOfANodeReadsItsOnlySample) {
  const auto data = parse_dataset({"data.csv", "node,y,x1,x2\na,0.7,1.25,-0.5\nb,2,1,0\nb,-1,0.5,1\n"},
                                  {"edges.csv", "source,target\na,b\n"}, {}, LabelDomain::kReal);
  ASSERT_TRUE(data.ok());
  const auto problem = make_problem(*data, ModelSpec{.name = "linear"}, L2Penalty{}, 0.3);
  ASSERT_TRUE(problem.ok());
  std::vector<Shard> shards;
  shards.emplace_back(*problem, std::vector<NodeId>{0});
  shards.emplace_back(*problem, std::vector<NodeId>{1});
  CuriousExchange exchange;
  const auto result = solve(
      *problem, shards, exchange,
      {.method = Method::kAlgorithm1, .tolerance = 0, .max_iterations = 20, .accelerators = Accelerators::none()});
  ASSERT_TRUE(result.ok());

  // ∇L(w) = 2(xᵀw − y)x = Hw − b: least squares in (H, −b) over the iterations.
  const auto seen = static_cast<Index>(exchange.points.size());
  Matrix points(3, seen);
  Matrix gradients(2, seen);
  for (Index k = 0; k < seen; ++k) {
    points.col(k) << exchange.points[k], 1;
    gradients.col(k) = exchange.gradients[k];
  }
  const Matrix fit = points.transpose().colPivHouseholderQr().solve(gradients.transpose()).transpose();
  const double x1 = std::sqrt(fit(0, 0) / 2);
  const double x2 = fit(0, 1) / (2 * x1);
  const double y = -fit(0, 2) / (2 * x1);
  EXPECT_NEAR(x1, 1.25, 1e-9);
  EXPECT_NEAR(x2, -0.5, 1e-9);
  EXPECT_NEAR(y, 0.7, 1e-9);
}

}  // namespace
}  // namespace gtvmin
