#include "gtvmin/runtime/simulated_exchange.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gtvmin/graph/generators/geometric.h"
#include "gtvmin/graph/generators/sbm.h"
#include "gtvmin/problem/model.h"
#include "gtvmin/synthetic/synthetic_data.h"

namespace gtvmin {
namespace {

/// Three clusters, odd dimension (so that columns are not aligned), unequal samples, nodes without data.
Problem make_test_problem(const std::string& penalty, const std::string& model) {
  const auto graph = sbm_graph({.sizes = {13, 9, 11}, .p_in = 0.4, .p_out = 0.05}, 5);
  SyntheticParameters parameters;
  parameters.model = model == "logistic" ? SyntheticModel::kLogistic : SyntheticModel::kLinear;
  parameters.dimension = 5;
  parameters.min_samples = 1;
  parameters.max_samples = 9;
  parameters.noise = 0.3;
  parameters.accessible = 0.7;
  auto data = make_synthetic_data(*graph, parameters, 11);
  for (auto& label : data->dataset.labels) {
    if (model == "logistic") label = label > 0.5 ? 1 : -1;
  }
  for (std::size_t e = 0; e < data->dataset.edges.size(); ++e) {
    data->dataset.edges[e].weight = 0.1 * static_cast<double>(1 + e % 17);
  }
  ModelSpec spec;
  spec.name = model;
  spec.ridge = model == "logistic" ? 0.01 : 0;
  return *make_problem(data->dataset, spec, *make_penalty(penalty), 0.05);
}

struct Case {
  const char* penalty;
  const char* model;
};

class SameBits : public ::testing::TestWithParam<Case> {};

TEST_P(SameBits, FromAnyNumberOfShardsAndAnyNetwork) {
  const Problem problem = make_test_problem(GetParam().penalty, GetParam().model);
  SolverOptions options;
  options.tolerance = 0;  // a fixed number of iterations, polish out of the way
  options.max_iterations = 150;
  const SolveResult alone = solve(problem, options);
  for (const int shards : {1, 2, 3, 7}) {
    for (const double loss : {0.0, 0.3}) {
      const SimulatedNetwork network{shards, 42, loss, loss, loss > 0 ? 5 : 0};
      NetworkReport report;
      const auto split = solve_simulated(problem, options, network, {}, &report);
      ASSERT_TRUE(split.ok());
      EXPECT_EQ(split->w, alone.w) << shards << " shards, loss " << loss;
      EXPECT_EQ(split->u, alone.u) << shards << " shards, loss " << loss;
      EXPECT_EQ(split->trace.size(), alone.trace.size());
      for (std::size_t k = 0; k < alone.trace.size(); ++k) {
        EXPECT_EQ(split->trace[k].objective, alone.trace[k].objective);
        EXPECT_EQ(split->trace[k].primal_weight, alone.trace[k].primal_weight);
      }
      EXPECT_EQ(report.messages > 0, shards > 1);
      EXPECT_EQ(report.sums > 0, shards > 1);
      EXPECT_EQ(report.retransmissions > 0, shards > 1 && loss > 0);
      EXPECT_EQ(report.ignored > 0, shards > 1 && loss > 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(PenaltiesAndModels, SameBits,
                         ::testing::Values(Case{"l2", "linear"}, Case{"l1", "linear"}, Case{"linf", "linear"},
                                           Case{"squared_l2", "linear"}, Case{"l2", "logistic"}),
                         [](const auto& test) { return std::string(test.param.penalty) + "_" + test.param.model; });

TEST(SimulatedExchange, GivesTheSameBitsWhereNodesAreRenumberedAndEdgesCutIntoBlocks) {
  // Points in random order: neighbours are far apart in the numbering, and there are enough edges for several blocks.
  const auto graph = geometric_graph({.nodes = 6000, .neighbours = 6}, 1);
  const auto data = make_synthetic_data(*graph, {.dimension = 8, .noise = 0.5}, 1);
  const Problem problem = *make_problem(data->dataset, {}, *make_penalty("l2"), 0.3);
  SolverOptions options{.tolerance = 0, .max_iterations = 45};
  options.threads = 1;
  const SolveResult alone = solve(problem, options);
  options.threads = 2;
  const SolveResult two_threads = solve(problem, options);
  EXPECT_EQ(two_threads.w, alone.w);
  EXPECT_EQ(two_threads.u, alone.u);
  const auto split = solve_simulated(problem, options, {3, 1, 0, 0, 0});
  ASSERT_TRUE(split.ok());
  EXPECT_EQ(split->w, alone.w);
  EXPECT_EQ(split->u, alone.u);
}

TEST(SimulatedExchange, SolvesToTheSameCertifiedAnswer) {
  const Problem problem = make_test_problem("l2", "linear");
  const SolveResult alone = solve(problem, {});
  const auto split = solve_simulated(problem, {}, {7, 1, 0.2, 0.1, 3});
  ASSERT_TRUE(split.ok());
  EXPECT_EQ(alone.status, SolveStatus::kSolved);
  EXPECT_EQ(split->status, SolveStatus::kSolved);
  EXPECT_EQ(split->w, alone.w);
  EXPECT_EQ(split->certificate.value, alone.certificate.value);
}

TEST(SimulatedExchange, SendsEachBoundaryNodeOncePerNeighbouringShardAndIteration) {
  // A path of four nodes in two shards: one cut edge, so one node's d numbers travel each way in every iteration.
  std::vector<WeightedEdge> edges = {{0, 1, 1.0}, {1, 2, 1.0}, {2, 3, 1.0}};
  Dataset dataset;
  dataset.node_names = {"a", "b", "c", "d"};
  dataset.feature_names = {"x1", "x2", "x3"};
  dataset.first_sample = {0, 1, 2, 3, 4};
  dataset.features = Matrix::Identity(3, 4);
  dataset.edges = edges;
  ModelSpec point;
  point.name = "point";
  const Problem problem = *make_problem(dataset, point, *make_penalty("l2"), 0.1);
  SolverOptions options;
  options.tolerance = 0;
  options.max_iterations = 10;
  NetworkReport report;
  ASSERT_TRUE(solve_simulated(problem, options, {2, 0, 0, 0, 0}, {}, &report).ok());
  EXPECT_EQ(report.messages - report.sums, 2 * 10);
  EXPECT_GT(report.sums, 0);
  EXPECT_EQ(report.retransmissions, 0);
}

/// One part per shard, each with a number of its own, of very different sizes.
std::vector<SteeringSums> different_parts(int shards) {
  std::vector<SteeringSums> parts(shards);
  for (int k = 0; k < shards; ++k) {
    parts[k].sums[SteeringSums::kLoss].add(std::ldexp(1.0, 40 * (k % 3)));
    parts[k].sums[SteeringSums::kCurvedNodes].add(1);
    parts[k].raise(SteeringSums::kLongest, k);
  }
  return parts;
}

TEST(SimulatedExchange, SumsTravelOverTheNetworkToo) {
  for (const int shards : {1, 2, 3, 4, 7, 8, 13}) {
    const std::vector<SteeringSums> parts = different_parts(shards);
    SteeringSums expected;
    for (const SteeringSums& part : parts) expected.add(part);
    // Shards without nodes have no parameters to send: all that travels are sums.
    SimulatedExchange calm({}, {shards, 1, 0, 0, 0});
    SimulatedExchange stormy({}, {shards, 1, 0.3, 0.3, 5});
    for (int repeat = 0; repeat < 20; ++repeat) {
      EXPECT_EQ(pack(*calm.sum(parts)), pack(expected));
      EXPECT_EQ(pack(*stormy.sum(parts)), pack(expected));
    }
    // Up the tree and down again.
    EXPECT_EQ(calm.report().messages, 20 * 2 * (shards - 1));
    EXPECT_EQ(calm.report().sums, calm.report().messages);
    EXPECT_EQ(calm.report().retransmissions, 0);
    EXPECT_EQ(stormy.report().messages - stormy.report().retransmissions, calm.report().messages);
    EXPECT_EQ(stormy.report().retransmissions > 0, shards > 1);
    EXPECT_EQ(stormy.report().ignored > 0, shards > 1);
  }
}

TEST(SimulatedExchange, RefusesANetworkThatCannotDeliver) {
  const Problem problem = make_test_problem("l2", "linear");
  EXPECT_FALSE(solve_simulated(problem, {}, {0, 0, 0, 0, 0}).ok());
  EXPECT_FALSE(solve_simulated(problem, {}, {2, 0, 1.0, 0, 0}).ok());
  EXPECT_FALSE(solve_simulated(problem, {}, {2, 0, 0, 0, -1}).ok());
}

}  // namespace
}  // namespace gtvmin
