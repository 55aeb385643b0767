// What the analysis proves about a partition, against solutions of the problem.

#include "gtvmin/theory/analysis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "gtvmin/loss/absolute_loss.h"
#include "gtvmin/loss/borrowed_loss.h"
#include "gtvmin/solver/solver.h"
#include "testing/random_problems.h"

namespace gtvmin {
namespace {

using ::testing::HasSubstr;

constexpr double kInf = std::numeric_limits<double>::infinity();

struct Planted {
  Problem problem;
  Partition clusters;
};

/// Dense clusters with one or two weak edges between neighbours, and losses of few samples around a truth per cluster.
Planted planted(std::uint64_t seed, const std::string& model, const std::string& penalty) {
  Rng rng(seed);
  const Index d = 1 + static_cast<Index>(rng.below(3));
  const auto groups = static_cast<NodeId>(2 + rng.below(2));
  const auto size = static_cast<NodeId>(3 + rng.below(4));
  const NodeId nodes = groups * size;
  Partition clusters{.group_of = {}, .groups = groups};
  std::vector<LossPtr> losses;
  std::vector<WeightedEdge> edges;
  for (NodeId g = 0; g < groups; ++g) {
    const Vector truth = random_vector(rng, d, 1);
    for (NodeId k = 0; k < size; ++k) {
      clusters.group_of.push_back(g);
      const Index m = d + 2 + static_cast<Index>(rng.below(4));
      const Matrix x = random_matrix(rng, d, m);
      const Vector scores = x.transpose() * truth + random_vector(rng, m, 0.3);
      const double scale = 1 / static_cast<double>(m);
      if (model == "point") {
        losses.push_back(QuadraticLoss::points(truth + random_vector(rng, d, 0.2), 1, 0));
      } else if (model == "logistic") {
        const Vector labels = scores.unaryExpr([](double z) { return z > 0 ? 1.0 : -1.0; });
        losses.push_back(LogisticLoss::make(x, labels, scale, Vector::Constant(d, 0.02)));
      } else {
        losses.push_back(QuadraticLoss::least_squares(x, scores, scale, Vector::Zero(d)));
      }
      for (NodeId j = 0; j < k; ++j) edges.push_back({g * size + j, g * size + k, 0.5 + rng.uniform()});
    }
  }
  for (NodeId g = 1; g < groups; ++g) {
    edges.push_back({g * size - 1, g * size, 0.02 + 0.05 * rng.uniform()});
    if (rng.below(2) == 0) edges.push_back({(g - 1) * size, g * size + 1, 0.02 + 0.05 * rng.uniform()});
  }
  return {*Problem::make(*EmpiricalGraph::make(nodes, std::move(edges)), std::move(losses), *make_penalty(penalty), 0),
          std::move(clusters)};
}

SolveResult solve_at(const Problem& problem, double lambda) {
  std::vector<LossPtr> losses;
  for (NodeId i = 0; i < problem.nodes(); ++i) losses.push_back(borrowed_loss(problem.loss(i)));
  const Problem at =
      *Problem::make(problem.graph(), std::move(losses), *make_penalty(penalty_name(problem.penalty())), lambda);
  SolveResult result = solve(at, {.tolerance = 1e-10, .threads = 1});
  EXPECT_EQ(result.status, SolveStatus::kSolved);
  return result;
}

/// Values of λ inside an interval, near both ends where they exist.
std::vector<double> inside(const LambdaInterval& interval) {
  if (interval.empty()) return {};
  const double low = std::max(interval.low, 1e-4);
  std::vector<double> values;
  for (const double lambda : {1.001 * low, 3 * low, std::isfinite(interval.high) ? 0.999 * interval.high : 30 * low}) {
    if (interval.contains(lambda)) values.push_back(lambda);
  }
  return values;
}

TEST(Analysis, ProvesNothingThatASolutionContradicts) {
  int constant = 0;
  int recovered = 0;
  std::map<ClusterTest, int> proofs;
  for (const std::string model : {"linear", "point", "logistic"}) {
    for (const std::string penalty : {"l2", "l1", "linf"}) {
      for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        SCOPED_TRACE(model + " " + penalty + " " + std::to_string(seed));
        const Planted p = planted(seed, model, penalty);
        const ProblemAnalysis analysis = *analyse(p.problem, p.clusters);
        for (const ClusterAnalysis& cluster : analysis.clusters) {
          ++proofs[cluster.proved_by];
          for (const double lambda : inside(cluster.proved)) {
            SCOPED_TRACE(lambda);
            const SolveResult solved = solve_at(p.problem, lambda);
            const double bound = cluster.constants.deviation_bound(lambda);
            for (const NodeId i : cluster.constants.nodes) {
              EXPECT_EQ(solved.clusters.group_of[i], solved.clusters.group_of[cluster.constants.nodes.front()]);
              EXPECT_LE(norm_of(p.problem.penalty(), solved.w.col(i) - cluster.constants.minimiser.w),
                        bound * (1 + 1e-6) + 1e-7);
            }
            ++constant;
          }
        }
        for (const double lambda : inside(analysis.recovery)) {
          EXPECT_EQ(solve_at(p.problem, lambda).clusters.group_of, p.clusters.group_of);
          ++recovered;
        }
      }
    }
  }
  EXPECT_GE(constant, 200);
  EXPECT_GE(recovered, 50);
  EXPECT_GE(proofs[ClusterTest::kQuadraticCurrents], 20);
  EXPECT_GE(proofs[ClusterTest::kCurrents], 5);
}

/// Definition 1 by enumeration: is there a sink such that every set without it can send its demand?
double enumerated_margin(const EmpiricalGraph& graph, const std::vector<NodeId>& nodes, const Vector& demand) {
  const auto n = static_cast<NodeId>(nodes.size());
  double best = 0;
  for (NodeId sink = 0; sink < n; ++sink) {
    double margin = kInf;
    for (unsigned set = 1; set < (1U << n); ++set) {
      if (((set >> sink) & 1U) != 0) continue;
      double cut = 0;
      double sum = 0;
      for (NodeId a = 0; a < n; ++a) {
        if (((set >> a) & 1U) == 0) continue;
        sum += demand[a];
        for (const Incidence& edge : graph.incident(nodes[a])) {
          const auto found = std::find(nodes.begin(), nodes.end(), edge.neighbour);
          if (found != nodes.end() && ((set >> (found - nodes.begin())) & 1U) == 0) cut += graph.weight(edge.edge);
        }
      }
      margin = std::min(margin, cut / sum);
    }
    best = std::max(best, margin);
  }
  return best;
}

TEST(Analysis, HasTheMarginOfDefinition1) {
  for (const std::string penalty : {"l2", "l1", "linf"}) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      SCOPED_TRACE(penalty + " " + std::to_string(seed));
      const Planted p = planted(seed, "linear", penalty);
      const double lambda = 0.3;
      const ProblemAnalysis analysis = *analyse(p.problem, p.clusters, {.lambda = lambda});
      for (const ClusterAnalysis& cluster : analysis.clusters) {
        const ClusterConstants& c = cluster.constants;
        const CurvatureStep& step = c.steps.front();
        const Vector demand = c.boundary_of + c.boundary * step.kappa + c.delta / lambda;
        EXPECT_NEAR(cluster.definition1_margin / enumerated_margin(p.problem.graph(), c.nodes, demand), 1, 1e-6);
        EXPECT_EQ(cluster.definition1_margin > 1, cluster.definition1_interval.contains(lambda));
        // γ_i is never worse than the paper's β_i/α_C.
        EXPECT_TRUE((step.kappa.array() <= step.beta.array() / step.alpha * (1 + 1e-12)).all());
      }
    }
  }
}

// Losses ‖w − a‖² at a = 0, 0 and 4, 4, unit edges inside the pairs, weight ε = 0.1 between them. w̄ = 0 and 4, δ = 0,
// H_C = 4, |∂C| = 0.1: deviation λ·0.1/4, and the pairs differ for λ < 4/(2·0.1/4) = 80. Inside a pair the node at the
// boundary gets a flow of at most 0.1λ, of which the other takes half: 0.05λ < λ, so the pair is constant for every λ >
// 0.
TEST(Analysis, OfTwoPairsFollowsByHand) {
  std::vector<LossPtr> losses;
  for (const double a : {0.0, 0.0, 4.0, 4.0}) losses.push_back(QuadraticLoss::points(Matrix::Constant(1, 1, a), 1, 0));
  const Problem problem = *Problem::make(*EmpiricalGraph::make(4, {{0, 1, 1}, {1, 2, 0.1}, {2, 3, 1}}),
                                         std::move(losses), *make_penalty("l2"), 0);
  const ProblemAnalysis analysis = *analyse(problem, {.group_of = {0, 0, 1, 1}, .groups = 2}, {.lambda = 2});
  ASSERT_EQ(analysis.clusters.size(), 2);
  const ClusterAnalysis& first = analysis.clusters[0];
  EXPECT_NEAR(first.constants.boundary, 0.1, 1e-15);
  EXPECT_NEAR(first.constants.steps.front().alpha, 4, 1e-12);
  EXPECT_NEAR(first.constants.steps.front().beta[0], 2, 1e-12);
  EXPECT_NEAR(first.constants.deviation_bound(2), 2 * 0.1 / 4, 1e-12);
  EXPECT_NEAR(first.proved.low, 0, 1e-9);
  EXPECT_EQ(first.proved.high, kInf);
  // Definition 1 at its best sink, the node at the boundary: the other one has d = γ|∂C| = 0.05, t* = 1/0.05.
  EXPECT_NEAR(first.definition1_margin, 20, 1e-4);
  EXPECT_EQ(first.definition1.sink, 1);
  EXPECT_EQ(first.definition1.tight, std::vector<NodeId>{0});
  ASSERT_EQ(analysis.pairs.size(), 1);
  EXPECT_NEAR(analysis.pairs[0].distance, 4, 1e-12);
  EXPECT_NEAR(analysis.pairs[0].separate_below, 80, 1e-9);
  EXPECT_NEAR(analysis.recovery.high, 80, 1e-9);
  EXPECT_EQ(solve_at(problem, 20).clusters.groups, 2);
}

TEST(Analysis, ProvesNoClusterThatFallsApart) {
  // Nodes 0 and 2 are joined only through node 1 of another cluster.
  std::vector<LossPtr> losses;
  for (const double a : {0.0, 4.0, 0.0}) losses.push_back(QuadraticLoss::points(Matrix::Constant(1, 1, a), 1, 0));
  const Problem problem =
      *Problem::make(*EmpiricalGraph::make(3, {{0, 1, 1}, {1, 2, 1}}), std::move(losses), *make_penalty("l2"), 0);
  const ProblemAnalysis analysis = *analyse(problem, {.group_of = {0, 1, 0}, .groups = 2});
  EXPECT_FALSE(analysis.clusters[0].connected);
  EXPECT_EQ(analysis.clusters[0].proved_by, ClusterTest::kNone);
  EXPECT_EQ(analysis.clusters[1].proved_by, ClusterTest::kSingleton);
  EXPECT_TRUE(analysis.recovery.empty());
}

TEST(Analysis, NeedsSamplesThatDetermineTheCluster) {
  std::vector<LossPtr> losses;
  for (int i = 0; i < 2; ++i) {
    losses.push_back(QuadraticLoss::least_squares(Matrix::Ones(2, 1), Vector::Ones(1), 1, Vector::Zero(2)));
  }
  losses.push_back(QuadraticLoss::points(Matrix::Ones(2, 1), 1, 0));
  const Problem problem =
      *Problem::make(*EmpiricalGraph::make(3, {{0, 1, 5}, {1, 2, 1}}), std::move(losses), *make_penalty("l2"), 0);
  const ProblemAnalysis analysis = *analyse(problem, {.group_of = {0, 0, 1}, .groups = 2});
  EXPECT_TRUE(analysis.clusters[0].constants.steps.empty());
  EXPECT_EQ(analysis.clusters[0].proved_by, ClusterTest::kNone);
  EXPECT_EQ(analysis.clusters[0].constants.deviation_bound(0.1), kInf);
}

TEST(Analysis, WithoutWorkForCurrentsLeavesDefinition1) {
  const Planted p = planted(1, "linear", "l2");
  const ProblemAnalysis analysis = *analyse(p.problem, p.clusters, {.currents_work = 0});
  for (const ClusterAnalysis& cluster : analysis.clusters) {
    EXPECT_TRUE(cluster.currents_skipped);
    EXPECT_TRUE(cluster.currents_interval.empty());
    EXPECT_GT(cluster.definition1_margin, 0);
  }
}

TEST(Analysis, RefusesPenaltiesAndLossesByName) {
  const auto refused = [](LossPtr loss, const std::string& penalty) {
    std::vector<LossPtr> losses;
    losses.push_back(std::move(loss));
    const Problem problem = *Problem::make(*EmpiricalGraph::make(1, {}), std::move(losses), *make_penalty(penalty), 0);
    const auto result = analyse(problem, {.group_of = {0}, .groups = 1});
    EXPECT_FALSE(result);
    return result ? std::string() : result.error().messages.front();
  };
  const Matrix x = Matrix::Ones(1, 2);
  const Vector y = Vector{{1, -1}};
  const Vector none = Vector::Zero(1);
  EXPECT_THAT(refused(QuadraticLoss::zero(1), "squared_l2"), HasSubstr("penalty squared_l2 is not a norm"));
  EXPECT_THAT(refused(AbsoluteLoss::make(x, y, 1, none), "l2"), HasSubstr("not differentiable"));
  EXPECT_THAT(refused(HuberLoss::make(x, y, 1, none, HuberLink{1.0}), "l2"), HasSubstr("Huber"));
}

}  // namespace
}  // namespace gtvmin
