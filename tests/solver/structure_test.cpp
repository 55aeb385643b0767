#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <numeric>

#include "gtvmin/solver/local_minimiser.h"
#include "gtvmin/solver/solver.h"
#include "testing/random_problems.h"

namespace gtvmin {
namespace {

using ::testing::ElementsAre;

/// Least squares at every node, with the data kept for the reference.
struct Regression {
  std::vector<Matrix> x;
  std::vector<Vector> y;

  Regression(std::uint64_t seed, NodeId nodes, Index d, Index samples) {
    Rng rng(seed);
    for (NodeId i = 0; i < nodes; ++i) {
      x.push_back(random_matrix(rng, d, samples));
      y.push_back(random_vector(rng, samples, 1));
    }
  }
  [[nodiscard]] std::vector<LossPtr> losses() const {
    std::vector<LossPtr> list;
    for (std::size_t i = 0; i < x.size(); ++i) {
      list.push_back(QuadraticLoss::least_squares(x[i], y[i], 1, Vector::Zero(x[i].rows())));
    }
    return list;
  }
  /// The least squares fit to all samples of some nodes.
  [[nodiscard]] Vector pooled(const std::vector<NodeId>& nodes) const {
    Matrix gram = Matrix::Zero(x[0].rows(), x[0].rows());
    Vector right = Vector::Zero(x[0].rows());
    for (const NodeId i : nodes) {
      gram += x[i] * x[i].transpose();
      right += x[i] * y[i];
    }
    return gram.ldlt().solve(right);
  }
};

const std::vector<WeightedEdge> kTwoComponents = {{0, 2, 1}, {2, 4, 0.1}, {0, 4, 5}, {1, 3, 2}, {3, 5, 0.5}};

TEST(Structure, ASmallLambdaGivesTheLocalFits) {
  const Regression data(81, 6, 3, 5);
  for (const auto& penalty : penalty_names()) {
    for (const double lambda : {0.0, 1e-9}) {
      SCOPED_TRACE(::testing::Message() << penalty << " λ = " << lambda);
      const auto problem =
          *Problem::make(*EmpiricalGraph::make(6, kTwoComponents), data.losses(), test_penalty(penalty, 3), lambda);
      const auto result = solve(problem, {.tolerance = 1e-10});
      EXPECT_EQ(result.status, SolveStatus::kSolved);
      for (NodeId i = 0; i < 6; ++i) EXPECT_LE((result.w.col(i) - data.pooled({i})).norm(), 1e-5) << "node " << i;
      EXPECT_EQ(result.clusters.groups, 6);
    }
  }
}

TEST(Structure, ALargeLambdaGivesConsensusPerComponent) {
  const Regression data(82, 6, 3, 2);
  for (const std::string penalty : {"l2", "l1", "linf"}) {
    SCOPED_TRACE(penalty);
    const auto problem =
        *Problem::make(*EmpiricalGraph::make(6, kTwoComponents), data.losses(), test_penalty(penalty, 3), 1e4);
    const auto result = solve(problem, {.tolerance = 1e-10});
    EXPECT_EQ(result.status, SolveStatus::kSolved);
    EXPECT_THAT(result.clusters.group_of, ElementsAre(0, 1, 0, 1, 0, 1));
    EXPECT_LE((result.w.col(0) - data.pooled({0, 2, 4})).norm(), 1e-8);
    EXPECT_LE((result.w.col(1) - data.pooled({1, 3, 5})).norm(), 1e-8);
    for (Index i = 2; i < 6; ++i) EXPECT_EQ(result.w.col(i), result.w.col(i % 2));
    EXPECT_EQ(result.gtv, 0);
  }
}

TEST(Structure, RelabellingNodesChangesNothingButTheirOrder) {
  constexpr NodeId kNodes = 15;
  for (const std::string model : {"point", "logistic"}) {  // one optimum each
    for (const auto& penalty : penalty_names()) {
      SCOPED_TRACE(model + " " + penalty);
      Rng rng(83);
      const auto graph = random_graph(rng, kNodes, 15);
      std::vector<NodeId> renamed(kNodes);
      std::iota(renamed.begin(), renamed.end(), 0);
      for (std::size_t k = renamed.size(); k > 1; --k) std::swap(renamed[k - 1], renamed[rng.below(k)]);
      std::vector<WeightedEdge> edges;
      for (EdgeId e = graph.edges(); e-- > 0;) {
        edges.push_back({renamed[graph.tail(e)], renamed[graph.head(e)], graph.weight(e)});
      }
      std::vector<LossPtr> losses;
      std::vector<LossPtr> renamed_losses(kNodes);
      for (NodeId i = 0; i < kNodes; ++i) {
        Rng one(1000 + i);
        Rng again(1000 + i);
        losses.push_back(random_loss(one, model, 2));
        renamed_losses[renamed[i]] = random_loss(again, model, 2);
      }
      const auto problem = *Problem::make(graph, std::move(losses), test_penalty(penalty, 2), 0.05);
      const auto other = *Problem::make(*EmpiricalGraph::make(kNodes, std::move(edges)), std::move(renamed_losses),
                                        test_penalty(penalty, 2), 0.05);
      // The square of a distance from the optimum is at most about the gap.
      const auto result = solve(problem, {.tolerance = 1e-14});
      const auto other_result = solve(other, {.tolerance = 1e-14});
      EXPECT_NEAR(result.objective, other_result.objective, 1e-12 * result.objective);
      EXPECT_EQ(result.clusters.groups, other_result.clusters.groups);
      for (NodeId i = 0; i < kNodes; ++i) {
        EXPECT_LE((result.w.col(i) - other_result.w.col(renamed[i])).norm(), 1e-7) << "node " << i;
      }
    }
  }
}

TEST(Structure, IsolatedNodesGetTheirOwnMinimiserOfLeastNorm) {
  // Nodes 0–1 are joined; 2 has three samples for four parameters, 3 has none.
  const Regression data(84, 3, 4, 3);
  auto losses = data.losses();
  losses.push_back(QuadraticLoss::zero(4));
  const auto problem = *Problem::make(*EmpiricalGraph::make(4, {{0, 1, 1}}), std::move(losses), L2Penalty{}, 0.5);
  for (const auto method : {Method::kAdaptive, Method::kAlgorithm1}) {
    const auto result = solve(problem, {.method = method, .tolerance = 1e-9});
    EXPECT_EQ(result.status, SolveStatus::kSolved);
    const Vector least_norm = data.x[2].transpose().completeOrthogonalDecomposition().solve(data.y[2]);
    EXPECT_LE((result.w.col(2) - least_norm).norm(), 1e-9);
    EXPECT_TRUE(result.w.col(3).isZero(0));
  }
}

TEST(Structure, AComponentWithoutDataStaysAtZero) {
  const Regression data(85, 2, 3, 4);
  for (const auto& penalty : penalty_names()) {
    SCOPED_TRACE(penalty);
    auto losses = data.losses();
    for (int i = 0; i < 3; ++i) losses.push_back(QuadraticLoss::zero(3));
    const auto problem = *Problem::make(*EmpiricalGraph::make(5, {{0, 1, 1}, {2, 3, 1}, {3, 4, 1}}), std::move(losses),
                                        test_penalty(penalty, 3), 0.5);
    const auto result = solve(problem, {.tolerance = 1e-9});
    EXPECT_EQ(result.status, SolveStatus::kSolved);
    EXPECT_TRUE(result.w.rightCols(3).isZero(1e-12)) << penalty;
  }
}

// What is proved from a coarse solution must be true of an accurate one.
TEST(EdgeStatus, ThatIsProvedIsTrueOfAnAccurateSolution) {
  int fused = 0;
  int separate = 0;
  for (const std::string model : {"point", "linear", "logistic"}) {
    for (const std::string penalty : {"l2", "l1", "linf"}) {
      for (const double lambda : {0.03, 0.3}) {
        SCOPED_TRACE(::testing::Message() << model << " " << penalty << " λ = " << lambda);
        const Problem problem = random_problem(17, {.model = model, .penalty = penalty, .lambda = lambda});
        const SolveResult best = solve(problem, {.tolerance = 1e-12});
        ASSERT_EQ(best.status, SolveStatus::kSolved);
        for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
          const SolveResult coarse = solve(problem, {.tolerance = tolerance});
          ASSERT_EQ(coarse.edge_status.size(), static_cast<std::size_t>(problem.edges()));
          for (EdgeId e = 0; e < problem.edges(); ++e) {
            const double apart = (best.w.col(problem.graph().head(e)) - best.w.col(problem.graph().tail(e))).norm();
            if (coarse.edge_status[e] == EdgeStatus::kFused) {
              ++fused;
              EXPECT_LE(apart, 1e-4) << "edge " << e;
            }
            if (coarse.edge_status[e] == EdgeStatus::kSeparate) {
              ++separate;
              EXPECT_GT(apart, 0) << "edge " << e;
            }
          }
          EXPECT_LE(coarse.fewest_clusters, coarse.most_clusters);
          EXPECT_LE(coarse.fewest_clusters, best.clusters.groups);
          EXPECT_GE(coarse.most_clusters, best.clusters.groups);
        }
      }
    }
  }
  EXPECT_GT(fused, 0);
  EXPECT_GT(separate, 0);
}

TEST(Clusters, AreEqualToTheLastBitWhereTheyAreExact) {
  for (const std::string penalty : {"l2", "l1", "linf"}) {
    const Problem problem = random_problem(18, {.penalty = penalty, .lambda = 0.3});
    const SolveResult result = solve(problem, {.tolerance = 1e-8});
    ASSERT_EQ(result.status, SolveStatus::kSolved);
    if (!result.clusters_exact) continue;
    EXPECT_EQ(result.clusters.group_of, equal_clusters(problem.graph(), result.w).group_of) << penalty;
  }
}

TEST(LocalMinimiser, SaysSoWhereThereIsNoMinimiser) {
  Rng rng(86);
  const Matrix x = random_matrix(rng, 3, 2);  // fewer samples than parameters: separable
  const auto separable = LogisticLoss::make(x, Vector{{1, -1}}, 1, Vector::Zero(3));
  const auto far = minimise_locally(*separable);
  EXPECT_FALSE(far.attained);
  EXPECT_TRUE(far.w.allFinite());
  EXPECT_LE(separable->value(far.w), 1e-3);
  const auto ridged = LogisticLoss::make(x, Vector{{1, -1}}, 1, Vector::Constant(3, 0.1));
  const auto near = minimise_locally(*ridged);
  EXPECT_TRUE(near.attained);
  Vector gradient(3);
  ridged->gradient(near.w, gradient);
  EXPECT_LE(gradient.norm(), 1e-10);
}

/// 0–1–2 with both classes everywhere; 3 alone and 4–5 with fewer samples than parameters, so that they are separable.
Problem partly_separable() {
  Rng rng(88);
  std::vector<LossPtr> losses;
  for (NodeId i = 0; i < 3; ++i) {
    losses.push_back(LogisticLoss::make(random_matrix(rng, 3, 12),
                                        Vector::NullaryExpr(12, [](Index k) { return k % 2 == 0 ? 1 : -1; }), 1,
                                        Vector::Zero(3)));
  }
  for (NodeId i = 3; i < 6; ++i) {
    losses.push_back(LogisticLoss::make(random_matrix(rng, 3, 1), Vector::Ones(1), 1, Vector::Zero(3)));
  }
  return *Problem::make(*EmpiricalGraph::make(6, {{0, 1, 1}, {1, 2, 1}, {4, 5, 1}}), std::move(losses), L2Penalty{},
                        0.1);
}

TEST(Structure, ComponentsWithoutAMinimiserAreBoundedByLeastLosses) {
  const Problem problem = partly_separable();
  for (const Accelerators accelerators : {Accelerators{}, Accelerators::none()}) {
    const SolveResult result = solve(problem, {.tolerance = 1e-3, .accelerators = accelerators});
    EXPECT_EQ(result.status, SolveStatus::kSolved);
    ASSERT_TRUE(is_bound(result.certificate));
    EXPECT_NEAR(result.certificate.node_terms.sum() + result.certificate.edge_terms.sum(), result.certificate.value,
                1e-6 * result.certificate.value);
    // What is left open at the separable nodes is their whole loss.
    for (NodeId i = 3; i < 6; ++i) EXPECT_GE(result.certificate.node_terms[i], 0.999 * result.node_losses[i]);
  }
}

TEST(Structure, ABoundThatSaysNothingIsNotClaimed) {
  std::vector<LossPtr> losses;
  for (NodeId i = 0; i < 2; ++i) {  // both classes at the same place, but separable along the second feature
    losses.push_back(LogisticLoss::make(Matrix{{1, 1, 1}, {0, 1e-3, -1e-3}}, Vector{{1, 1, -1}}, 1, Vector::Zero(2)));
  }
  const auto problem = *Problem::make(*EmpiricalGraph::make(2, {{0, 1, 1}}), std::move(losses), L2Penalty{}, 1);
  for (const Accelerators accelerators : {Accelerators{}, Accelerators::none()}) {
    const SolveResult result = solve(problem, {.tolerance = 1e-6, .max_iterations = 200, .accelerators = accelerators});
    EXPECT_NE(result.status, SolveStatus::kSolved);
    EXPECT_FALSE(is_bound(result.certificate)) << result.certificate.relative;
  }
}

TEST(Structure, ANodeWithoutMinimiserIsNamedInAWarning) {
  Rng rng(87);
  std::vector<LossPtr> losses;
  losses.push_back(LogisticLoss::make(random_matrix(rng, 3, 1), Vector::Ones(1), 1, Vector::Zero(3)));
  losses.push_back(QuadraticLoss::zero(3));
  const auto problem = *Problem::make(*EmpiricalGraph::make(2, {}), std::move(losses), L2Penalty{}, 1);
  const auto result = solve(problem, {.max_iterations = 100});
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_EQ(result.warnings[0].node, 0);
}

}  // namespace
}  // namespace gtvmin
