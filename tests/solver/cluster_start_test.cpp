// One model for everybody, broken into clusters where edges cannot hold it together.
#include "gtvmin/solver/cluster_start.h"

#include <gtest/gtest.h>

#include "gtvmin/certify/certify.h"
#include "gtvmin/graph/generators/chain.h"
#include "gtvmin/graph/generators/geometric.h"
#include "gtvmin/graph/generators/sbm.h"
#include "gtvmin/graph/generators/star.h"
#include "gtvmin/problem/model.h"
#include "gtvmin/solver/solver.h"
#include "gtvmin/synthetic/synthetic_data.h"
#include "testing/random_problems.h"

namespace gtvmin {
namespace {

Problem on_graph(const GeneratedGraph& graph, const SyntheticParameters& data, const std::string& penalty,
                 double lambda) {
  Dataset dataset = make_synthetic_data(graph, data, 2)->dataset;
  ModelSpec model;
  if (data.model == SyntheticModel::kLogistic) {
    model.name = "logistic";
    dataset.labels = (2 * dataset.labels.array() - 1).matrix().eval();  // −1 and 1, as the model wants them
  }
  return *make_problem(dataset, model, *make_penalty(penalty), lambda);
}

/// Three clusters; three nodes of ten have no data.
Problem clustered(const std::string& penalty, SyntheticModel model = SyntheticModel::kLinear) {
  const auto graph = sbm_graph({.sizes = {60, 40, 50}, .p_in = 0.4, .p_out = 0.01}, 4);
  return on_graph(*graph, {.model = model, .dimension = 4, .min_samples = 20, .max_samples = 20, .accessible = 0.7},
                  penalty, 0.05);
}

TEST(ClusterStart, IsTheOptimumWhereDataFallsIntoClusters) {
  ThreadTeam team(2);
  for (const std::string penalty : {"l2", "l1", "linf"}) {
    for (const auto model : {SyntheticModel::kLinear, SyntheticModel::kLogistic}) {
      SCOPED_TRACE(penalty + (model == SyntheticModel::kLogistic ? " logistic" : " linear"));
      const Problem problem = clustered(penalty, model);
      const auto start = start_from_one_cluster(problem, team);
      ASSERT_TRUE(start.has_value());
      EXPECT_EQ(equal_columns(start->w).groups, 3);
      EXPECT_LE(certify(problem, start->w, start->u).certificate.relative, 1e-9);
      const SolveResult result = solve(problem, {});
      EXPECT_EQ(result.status, SolveStatus::kSolved);
      EXPECT_EQ(result.iterations, 0);
      EXPECT_EQ(result.newton_steps, start->newton_steps);
      const SolveResult by_messages = solve(problem, {.polish = false});
      EXPECT_GT(by_messages.iterations, 0);
      EXPECT_NEAR(result.objective, by_messages.objective, 1e-5 * result.objective);
      EXPECT_EQ(result.clusters.group_of, by_messages.clusters.group_of);
    }
  }
}

TEST(ClusterStart, StaysWithOneModelWhereEdgesBearEverything) {
  ThreadTeam team(1);
  const Problem problem = random_problem(15, {.nodes = 60, .extra_edges = 200, .dimension = 3, .lambda = 5});
  const auto start = start_from_one_cluster(problem, team);
  ASSERT_TRUE(start.has_value());
  EXPECT_EQ(equal_columns(start->w).groups, 1);
}

TEST(ClusterStart, IsTheOptimumAlsoNearTheLambdaAtWhichClustersJoin) {
  ThreadTeam team(1);
  const auto graph = sbm_graph({.sizes = {60, 60}, .p_in = 0.4, .p_out = 0.1}, 4);
  NodeId before = 2;
  for (double lambda = 0.01; lambda < 1; lambda *= 1.02) {
    SCOPED_TRACE(lambda);
    const Problem problem =
        on_graph(*graph, {.dimension = 4, .min_samples = 20, .max_samples = 20, .noise = 0.01}, "l2", lambda);
    const auto start = start_from_one_cluster(problem, team);
    ASSERT_TRUE(start.has_value());
    EXPECT_LE(certify(problem, start->w, start->u).certificate.relative, 1e-9);
    const NodeId clusters = equal_columns(start->w).groups;
    EXPECT_LE(clusters, before);
    before = clusters;
  }
  EXPECT_EQ(before, 1);
}

TEST(ClusterStart, BringsTogetherWhatIsBrokenForNothing) {
  ThreadTeam team(1);
  const Problem problem = clustered("l2");
  Partition broken{{}, 4};
  for (NodeId i = 0; i < problem.nodes(); ++i) broken.group_of.push_back(i < 30 ? 0 : i < 60 ? 1 : i < 100 ? 2 : 3);
  const auto start = start_from_clusters(problem, broken, start_point(problem),
                                         Matrix::Zero(problem.dimension(), problem.edges()), team);
  ASSERT_TRUE(start.has_value());
  EXPECT_EQ(equal_columns(start->w).groups, 3);
}

TEST(ClusterStart, GivesTheSameBitsForEveryNumberOfThreads) {
  const Problem problem = clustered("l2");
  ThreadTeam alone(1);
  const auto one = start_from_one_cluster(problem, alone);
  ThreadTeam three(3);
  const auto many = start_from_one_cluster(problem, three);
  ASSERT_TRUE(one.has_value() && many.has_value());
  EXPECT_EQ(one->w, many->w);
  EXPECT_EQ(one->u, many->u);
}

TEST(ClusterStart, CutsAForestWhereItDoesNotHold) {
  ThreadTeam team(1);
  const auto chain = chain_graph(std::vector<NodeId>{400, 700, 900}, 0.3);
  const SyntheticParameters data{.dimension = 2, .noise = 0.3, .accessible = 0.6};
  for (const std::string penalty : {"l2", "l1", "linf"}) {
    SCOPED_TRACE(penalty);
    const Problem problem = on_graph(*chain, data, penalty, 4);
    const auto start = start_from_clusters(problem, connected_groups(problem.graph()), start_point(problem),
                                           Matrix::Zero(problem.dimension(), problem.edges()), team);
    ASSERT_TRUE(start.has_value());
    EXPECT_GT(equal_columns(start->w).groups, 2);
    EXPECT_LE(certify(problem, start->w, start->u).certificate.relative, 1e-9);
    const SolveResult result = solve(problem, {});
    EXPECT_EQ(result.status, SolveStatus::kSolved);
    EXPECT_LE(result.iterations, 100);
  }
}

TEST(ClusterStart, EndsWhereNoRoundGainsAnything) {
  ThreadTeam team(1);
  const auto chain = chain_graph(std::vector<NodeId>{5000, 5000}, 0.3);
  SyntheticParameters data{.dimension = 2, .noise = 0.1, .accessible = 0.6, .truth = TruthKind::kGiven};
  data.truth_values = Matrix{{2, -2}, {2, 2}};
  const SolveResult before = solve(on_graph(*chain, data, "l2", 0.5), {});
  const Problem problem = on_graph(*chain, data, "l2", 0.55);
  const auto start = start_from_clusters(problem, clusters_of(problem, before.w, before.u, /*exactly=*/true), before.w,
                                         before.u, team);
  ASSERT_TRUE(start.has_value());
  EXPECT_LE(certify(problem, start->w, start->u).certificate.relative, 1e-8);
  EXPECT_LE(start->newton_steps, 240);  // of up to 480
}

TEST(ClusterStart, LeavesToOthersWhatIsNotItsKind) {
  ThreadTeam team(1);
  const SyntheticParameters data{.dimension = 2, .noise = 0.3};
  const auto plane = geometric_graph({.nodes = 3000, .neighbours = 6}, 1);
  EXPECT_FALSE(start_from_one_cluster(on_graph(*plane, data, "l2", 1), team)) << "currents take long to settle";
  const auto star = star_graph(300);
  EXPECT_FALSE(start_from_one_cluster(on_graph(*star, data, "l2", 0.1), team)) << "a forest, cut by cut";
  EXPECT_FALSE(start_from_one_cluster(clustered("squared_l2"), team)) << "nothing ever fuses";
  const auto everybody_alone = random_problem(16, {.nodes = 200, .extra_edges = 800, .dimension = 3, .lambda = 1e-4});
  EXPECT_FALSE(start_from_one_cluster(everybody_alone, team)) << "many clusters";
}

}  // namespace
}  // namespace gtvmin
