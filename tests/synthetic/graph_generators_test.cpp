#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "gtvmin/base/rng.h"
#include "gtvmin/graph/generators/chain.h"
#include "gtvmin/graph/generators/geometric.h"
#include "gtvmin/graph/generators/grid.h"
#include "gtvmin/graph/generators/nearest_neighbours.h"
#include "gtvmin/graph/generators/sbm.h"
#include "gtvmin/graph/generators/scale_free.h"
#include "gtvmin/graph/generators/star.h"

namespace gtvmin {
namespace {

using Ends = std::pair<NodeId, NodeId>;

std::vector<Ends> ends_of(const GeneratedGraph& graph) {
  std::vector<Ends> ends;
  for (const auto& e : graph.edges) ends.emplace_back(e.a, e.b);
  return ends;
}

bool is_within(const GeneratedGraph& graph, const WeightedEdge& e) {
  return graph.clusters.group_of[e.a] == graph.clusters.group_of[e.b];
}

// Five standard deviations of a binomial count: a right generator fails once in two million seeds.
void expect_binomial(double count, double trials, double p) {
  EXPECT_NEAR(count, trials * p, 5 * std::sqrt(trials * p * (1 - p))) << trials << " trials with p = " << p;
}

template <class T>
void expect_usage_error(const Result<T>& result, const std::string& parameter) {
  ASSERT_FALSE(result.ok()) << "a wrong " << parameter << " was accepted";
  EXPECT_EQ(result.error().kind, Error::Kind::kUsage);
  EXPECT_TRUE(result.error().messages.front().starts_with(parameter + ":")) << result.error().messages.front();
}

TEST(Sbm, EdgeCountsFollowTheTwoProbabilities) {
  const auto graph = *sbm_graph({.sizes = {300, 200, 100}, .p_in = 0.1, .p_out = 0.02}, 7);
  const auto within =
      std::count_if(graph.edges.begin(), graph.edges.end(), [&](const WeightedEdge& e) { return is_within(graph, e); });
  const auto between = static_cast<std::int64_t>(graph.edges.size()) - within;
  expect_binomial(static_cast<double>(within), 300 * 299 / 2 + 200 * 199 / 2 + 100 * 99 / 2, 0.1);
  expect_binomial(static_cast<double>(between), 300 * 200 + 300 * 100 + 200 * 100, 0.02);
  EXPECT_TRUE(std::all_of(graph.edges.begin(), graph.edges.end(), [](const auto& e) { return e.weight == 1; }));
}

TEST(Sbm, EveryPairIsAnIndependentDraw) {
  // Clusters {0, 1, 2}, {3, 4}: all ten pairs, and all products of two pairs, over many seeds.
  const SbmParameters parameters{.sizes = {3, 2}, .p_in = 0.6, .p_out = 0.3};
  constexpr int kSeeds = 20'000;
  Matrix both = Matrix::Zero(10, 10);
  Vector p(10);
  for (int seed = 0; seed < kSeeds; ++seed) {
    const auto ends = ends_of(*sbm_graph(parameters, static_cast<std::uint64_t>(seed)));
    Vector present = Vector::Zero(10);
    Index pair = 0;
    for (NodeId i = 0; i < 5; ++i) {
      for (NodeId j = i + 1; j < 5; ++j, ++pair) {
        p[pair] = (i < 3) == (j < 3) ? 0.6 : 0.3;
        present[pair] = std::binary_search(ends.begin(), ends.end(), Ends(i, j)) ? 1 : 0;
      }
    }
    both += present * present.transpose();
  }
  for (Index k = 0; k < 10; ++k) {
    for (Index l = 0; l < 10; ++l) expect_binomial(both(k, l), kSeeds, k == l ? p[k] : p[k] * p[l]);
  }
}

TEST(Sbm, ProbabilityOneJoinsAllPairsAndZeroNone) {
  EXPECT_EQ(sbm_graph({.sizes = {4, 3}, .p_in = 1, .p_out = 0}, 1)->edges.size(), 6 + 3);
  EXPECT_EQ(ends_of(*sbm_graph({.sizes = {1, 2}, .p_in = 0, .p_out = 1}, 1)), (std::vector<Ends>{{0, 1}, {0, 2}}));
}

TEST(Sbm, EdgesInsideClustersDoNotDependOnThoseBetween) {
  const auto inside = [](double p_out) {
    auto graph = *sbm_graph({.sizes = {40, 60}, .p_in = 0.2, .p_out = p_out}, 3);
    std::erase_if(graph.edges, [&](const WeightedEdge& e) { return !is_within(graph, e); });
    return ends_of(graph);
  };
  EXPECT_EQ(inside(0), inside(0.7));
}

TEST(Sbm, ManyLargeClustersMakeASortedSimpleGraph) {
  const auto graph = *sbm_graph({.sizes = std::vector<NodeId>(50, 200), .p_in = 0.09, .p_out = 0.0002}, 11);
  const auto ends = ends_of(graph);
  EXPECT_TRUE(std::is_sorted(ends.begin(), ends.end()));
  EXPECT_TRUE(EmpiricalGraph::make(graph.nodes(), graph.edges).ok());
  const double within = 50 * 200 * 199 / 2;
  const double between = 10'000.0 * 9'999 / 2 - within;
  EXPECT_NEAR(static_cast<double>(ends.size()), 0.09 * within + 0.0002 * between, 1600);
}

TEST(Sbm, RefusesWhatIsNoBlockModel) {
  expect_usage_error(sbm_graph({.sizes = {5}, .p_in = 1.01}, 1), "p-in");
  expect_usage_error(sbm_graph({.sizes = {5}, .p_out = std::nan("")}, 1), "p-out");
  expect_usage_error(sbm_graph({.sizes = {5, 0}}, 1), "sizes");
  expect_usage_error(sbm_graph({.sizes = {}}, 1), "sizes");
  expect_usage_error(sbm_graph({.sizes = {1'000'000, 1'000'000}}, 1), "sizes");
}

TEST(Chain, JoinsClustersByTheWeightEpsilon) {
  const auto graph = *chain_graph(std::vector<NodeId>{3, 1, 2}, 0.3);
  EXPECT_EQ(ends_of(graph), (std::vector<Ends>{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}}));
  std::vector<double> weights;
  for (const auto& e : graph.edges) weights.push_back(e.weight);
  EXPECT_EQ(weights, (std::vector<double>{1, 1, 0.3, 0.3, 1}));
  EXPECT_EQ(graph.clusters.group_of, (std::vector<NodeId>{0, 0, 0, 1, 2, 2}));
}

TEST(Chain, EpsilonZeroLeavesTheBridgesOut) {
  EXPECT_EQ(ends_of(*chain_graph(std::vector<NodeId>{2, 2}, 0)), (std::vector<Ends>{{0, 1}, {2, 3}}));
  expect_usage_error(chain_graph(std::vector<NodeId>{2, 2}, -0.1), "epsilon");
}

TEST(Star, HasItsCentreFirstAndEveryNodeForItself) {
  const auto graph = *star_graph(4);
  EXPECT_EQ(ends_of(graph), (std::vector<Ends>{{0, 1}, {0, 2}, {0, 3}}));
  EXPECT_EQ(graph.clusters.groups, 4);
  expect_usage_error(star_graph(0), "nodes");
}

TEST(Grid, JoinsNeighboursAndSplitsIntoQuadrants) {
  // 0 1 2
  // 3 4 5    rows 0 | 1-2, columns 0 | 1-2
  // 6 7 8
  const auto graph = *grid_graph(3, 3);
  EXPECT_EQ(graph.clusters.group_of, (std::vector<NodeId>{0, 1, 1, 2, 3, 3, 2, 3, 3}));
  EXPECT_EQ(ends_of(graph),
            (std::vector<Ends>{
                {0, 1}, {0, 3}, {1, 2}, {1, 4}, {2, 5}, {3, 4}, {3, 6}, {4, 5}, {4, 7}, {5, 8}, {6, 7}, {7, 8}}));
  EXPECT_EQ(grid_graph(1, 1)->clusters.groups, 1);
  expect_usage_error(grid_graph(3, 0), "cols");
}

TEST(NearestNeighbours, AreThoseOfAnExhaustiveSearch) {
  Rng rng(5);
  Matrix points(3, 120);
  for (double& x : points.reshaped()) x = rng.uniform();
  std::set<Ends> expected;
  for (NodeId i = 0; i < 120; ++i) {
    std::vector<std::pair<double, NodeId>> others;
    for (NodeId j = 0; j < 120; ++j) {
      if (j != i) others.emplace_back((points.col(i) - points.col(j)).squaredNorm(), j);
    }
    std::sort(others.begin(), others.end());
    for (int k = 0; k < 4; ++k) expected.emplace(std::min(i, others[k].second), std::max(i, others[k].second));
  }
  std::vector<Ends> found;
  for (const auto& e : nearest_neighbour_edges(points, 4)) found.emplace_back(e.a, e.b);
  EXPECT_EQ(found, std::vector<Ends>(expected.begin(), expected.end()));
}

TEST(NearestNeighbours, OfEqualPointsAreOthersNeverThePointItself) {
  const Matrix points = Matrix::Zero(2, 30);
  std::vector<int> degree(30, 0);
  for (const auto& e : nearest_neighbour_edges(points, 2)) {
    EXPECT_LT(e.a, e.b);
    ++degree[e.a];
    ++degree[e.b];
  }
  EXPECT_GE(*std::min_element(degree.begin(), degree.end()), 2);
}

TEST(Geometric, HasTheClustersAskedForAndNoLonelyNode) {
  const auto generated = *geometric_graph({.nodes = 500, .neighbours = 6, .clusters = 7}, 2);
  EXPECT_EQ(generated.clusters.groups, 7);
  const auto graph = *EmpiricalGraph::make(generated.nodes(), generated.edges);
  for (NodeId i = 0; i < graph.nodes(); ++i) EXPECT_GE(graph.degree(i), 6);
  expect_usage_error(geometric_graph({.nodes = 5, .neighbours = 5, .clusters = 1}, 2), "neighbours");
  expect_usage_error(geometric_graph({.nodes = 5, .neighbours = 1, .clusters = 6}, 2), "clusters");
}

TEST(ScaleFree, AttachesEveryNodeAndGrowsHubs) {
  const auto generated = *scale_free_graph({.nodes = 2000, .attachments = 3, .clusters = 5}, 2);
  EXPECT_EQ(generated.edges.size(), 3 * (2000 - 3));
  EXPECT_EQ(generated.clusters.groups, 5);
  const auto graph = *EmpiricalGraph::make(generated.nodes(), generated.edges);
  EXPECT_EQ(connected_groups(graph).groups, 1);
  // Degrees fall like a power law: P(degree ≥ k) ≈ (m + 1) m / ((k + 1) k); uniform attachment would give 2^{−k/m}.
  int above_thirty = 0;
  for (NodeId i = 0; i < graph.nodes(); ++i) above_thirty += graph.degree(i) >= 30 ? 1 : 0;
  EXPECT_NEAR(above_thirty, 2000 * 12.0 / (30 * 31), 15);
  expect_usage_error(scale_free_graph({.nodes = 5, .attachments = 0, .clusters = 1}, 2), "attachments");
}

}  // namespace
}  // namespace gtvmin
