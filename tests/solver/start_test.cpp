// Starts other than 0: the answer to a similar problem, and the coarse-to-fine one.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "gtvmin/graph/generators/geometric.h"
#include "gtvmin/problem/model.h"
#include "gtvmin/solver/coarse_start.h"
#include "gtvmin/solver/solver.h"
#include "gtvmin/synthetic/synthetic_data.h"
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

TEST(WarmStart, FromASimilarProblemGivesTheSameCertifiedAnswerWithLessWork) {
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
    EXPECT_LE(warm.iterations, cold.iterations);
  }
}

TEST(WarmStart, CertifiesAtOnceWhereTheClustersStayTheSame) {
  RandomProblem spec{.nodes = 60, .extra_edges = 200, .dimension = 3, .lambda = 5};
  const auto before = solve(random_problem(15, spec), {});
  ASSERT_EQ(before.clusters.groups, 1);
  spec.lambda *= 1.1;
  const Problem problem = random_problem(15, spec);
  const auto warm = solve(problem, {}, WarmStart{before.w, before.u, 5, before.primal_weight});
  EXPECT_EQ(warm.status, SolveStatus::kSolved);
  EXPECT_EQ(warm.iterations, 0);
  EXPECT_NEAR(warm.objective, solve(problem, {}).objective, 2e-6 * warm.objective);
}

TEST(WarmStart, LetsNewtonsMethodBeginSoonWhereClustersAreMany) {
  const auto graph = geometric_graph({.nodes = 3000, .neighbours = 8}, 1);
  const auto data =
      make_synthetic_data(*graph, {.dimension = 8, .min_samples = 10, .max_samples = 10, .noise = 0.001}, 1);
  const double lambda = 1.5;
  const auto before = solve(*make_problem(data->dataset, {}, L2Penalty{}, lambda), {});
  const Problem problem = *make_problem(data->dataset, {}, L2Penalty{}, 1.1 * lambda);
  const auto warm = solve(problem, {}, WarmStart{before.w, before.u, lambda, before.primal_weight});
  EXPECT_EQ(warm.status, SolveStatus::kSolved);
  EXPECT_GT(warm.clusters.groups, 30);
  EXPECT_LE(3 * warm.iterations, solve(problem, {}).iterations);
}

TEST(WarmStart, TakesAFlowThatIsNotFeasible) {
  const Problem problem = random_problem(12, {.nodes = 20});
  const Matrix w = Matrix::Constant(3, 20, 5);
  const Matrix u = Matrix::Constant(3, problem.edges(), 1e3);
  const auto result = solve(problem, {}, WarmStart{w, u});
  EXPECT_EQ(result.status, SolveStatus::kSolved);
  EXPECT_NEAR(result.objective, solve(problem, {}).objective, 2e-6 * result.objective);
}

TEST(CoarseStart, ComesCloseToTheOptimumWhereMessagesTravelFar) {
  for (const std::string penalty : {"l2", "l1"}) {
    SCOPED_TRACE(penalty);
    const Problem problem = two_halves(60, 2, penalty);
    ThreadTeam team(1);
    const auto start = coarse_to_fine_start(problem, team);
    ASSERT_TRUE(start.has_value());
    const double optimum = solve(problem, {}).objective;
    const double from_zero = solve(problem, {.tolerance = 0, .max_iterations = 40, .accelerators = Accelerators::none()}).objective;
    const double error = objective(problem, start->w) - optimum;
    EXPECT_LT(error, 0.01 * optimum);
    EXPECT_LT(error, (from_zero - optimum) / 3);
    Matrix projected = start->u;
    project_flow(problem, projected);
    EXPECT_LE((projected - start->u).norm(), 1e-12 * start->u.norm());
  }
}

TEST(CoarseStart, IsForFarMessagesNormsAndCurvedLossesOnly) {
  ThreadTeam team(1);
  EXPECT_FALSE(coarse_to_fine_start(two_halves(10, 2, "l2"), team).has_value());
  EXPECT_FALSE(coarse_to_fine_start(two_halves(40, 2, "squared_l2"), team).has_value());
  const Problem flat = random_problem(13, {.nodes = 300, .extra_edges = 0});
  EXPECT_FALSE(coarse_to_fine_start(flat, team).has_value());
}

TEST(CoarseStart, CertifiesWhatMessagePassingAloneWouldTakeLongFor) {
  const Problem problem = two_halves(80, 3, "l2");
  const auto result = solve(problem, {});
  EXPECT_EQ(result.status, SolveStatus::kSolved);
  EXPECT_LT(result.iterations, solve(problem, {.accelerators = Accelerators::none()}).iterations);
}

TEST(CoarseStart, ProvesASettledOptimumWithTheFlowOfToday) {
  const auto graph = geometric_graph({.nodes = 1000, .neighbours = 8}, 1);
  const auto data =
      make_synthetic_data(*graph, {.dimension = 8, .min_samples = 10, .max_samples = 10, .noise = 0.001}, 1);
  const auto result = solve(*make_problem(data->dataset, {}, L2Penalty{}, 3.6), {.tolerance = 1e-8});
  EXPECT_EQ(result.status, SolveStatus::kSolved);
  EXPECT_TRUE(result.polished);
  // Newton's method has found the clusters some checks ago; since then only the flow got better.
  ASSERT_GE(result.trace.size(), 4);
  const auto& earlier = result.trace[result.trace.size() - 4];
  EXPECT_LT(earlier.iteration, result.iterations);
  EXPECT_EQ(earlier.newton_steps, result.newton_steps);
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
