// Starts other than 0, and where nodes lie in memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "gtvmin/solver/solver.h"
#include "testing/random_problems.h"

namespace gtvmin {
namespace {

/// Noisy points on a grid whose left and right halves differ; `number_of` says which number each node has.
Problem two_halves(NodeId side, double lambda, const std::string& penalty, const std::vector<NodeId>& number_of = {}) {
  const auto place = [&](NodeId i) { return number_of.empty() ? i : number_of[i]; };
  Rng rng(7);
  std::vector<LossPtr> losses(side * side);
  std::vector<WeightedEdge> edges;
  for (NodeId row = 0; row < side; ++row) {
    for (NodeId column = 0; column < side; ++column) {
      const NodeId i = row * side + column;
      const Vector point = Vector::Constant(2, column < side / 2 ? 0 : 1) + 0.3 * random_vector(rng, 2, 1);
      losses[place(i)] = QuadraticLoss::points(point, 1, 0);
      if (column + 1 < side) edges.push_back({place(i), place(i + 1), 1});
      if (row + 1 < side) edges.push_back({place(i), place(i + side), 1});
    }
  }
  return *Problem::make(*EmpiricalGraph::make(side * side, std::move(edges)), std::move(losses), *make_penalty(penalty),
                        lambda);
}

std::vector<NodeId> shuffled(NodeId count) {
  std::vector<NodeId> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  Rng rng(3);
  for (NodeId i = count - 1; i > 0; --i) std::swap(numbers[i], numbers[rng.below(i + 1)]);
  return numbers;
}

TEST(WarmStart, FromASimilarProblemGivesTheSameCertifiedAnswer) {
  for (const auto& penalty : penalty_names()) {
    SCOPED_TRACE(penalty);
    RandomProblem spec{.penalty = penalty, .nodes = 60, .extra_edges = 80, .dimension = 3, .lambda = 0.05};
    const auto before = solve(random_problem(11, spec), {});
    spec.lambda *= 1.1;
    const Problem problem = random_problem(11, spec);
    const auto cold = solve(problem, {});
    const auto warm = solve(problem, {}, WarmStart{before.w, before.u});
    EXPECT_EQ(warm.status, SolveStatus::kSolved);
    EXPECT_NEAR(warm.objective, cold.objective, 2e-6 * cold.objective);
  }
}

TEST(WarmStart, TakesAFlowThatIsNotFeasible) {
  const Problem problem = random_problem(12, {.nodes = 20});
  const Matrix w = Matrix::Constant(3, 20, 5);
  const Matrix u = Matrix::Constant(3, problem.edges(), 1e3);
  const auto result = solve(problem, {}, WarmStart{w, u});
  EXPECT_EQ(result.status, SolveStatus::kSolved);
  EXPECT_NEAR(result.objective, solve(problem, {}).objective, 2e-6 * result.objective);
}

TEST(FarMessages, AreCertifiedLongBeforeMessagePassingAloneArrives) {
  const Problem problem = two_halves(80, 3, "l2");
  const auto result = solve(problem, {});
  EXPECT_EQ(result.status, SolveStatus::kSolved);
  EXPECT_LT(result.iterations, solve(problem, {.accelerators = Accelerators::none()}).iterations);
}

TEST(Locality, RanksBringNeighboursNearer) {
  const NodeId side = 80;
  const Problem problem = two_halves(side, 1, "l2", shuffled(side * side));
  const auto ranks = locality_ranks(problem.graph());
  std::vector<NodeId> sorted = ranks;
  std::sort(sorted.begin(), sorted.end());
  for (NodeId i = 0; i < side * side; ++i) ASSERT_EQ(sorted[i], i);
  for (EdgeId e = 0; e < problem.edges(); ++e) {
    EXPECT_LE(std::abs(ranks[problem.graph().head(e)] - ranks[problem.graph().tail(e)]), 4 * side);
  }
  const Problem ordered = two_halves(side, 1, "l2");
  const auto kept = locality_ranks(ordered.graph());
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
}

TEST(Locality, TheStateComesBackAsItWasPut) {
  const NodeId side = 80;
  const Problem problem = two_halves(side, 1, "l2", shuffled(side * side));
  Shard shard = Shard::whole(problem);
  Rng rng(5);
  const Matrix w = random_matrix(rng, 2, problem.nodes());
  const Matrix u = random_matrix(rng, 2, problem.edges());
  set_state(shard, w, u);
  Matrix w_back = Matrix::Zero(2, problem.nodes());
  Matrix u_back = Matrix::Zero(2, problem.edges());
  get_state(shard, w_back, u_back);
  EXPECT_EQ(w_back, w);
  EXPECT_EQ(u_back, u);
}

}  // namespace
}  // namespace gtvmin
