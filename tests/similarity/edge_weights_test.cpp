#include "gtvmin/similarity/edge_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "gtvmin/similarity/graph_summary.h"

namespace gtvmin {
namespace {

using Kind = WeightRule::Kind;
using ::testing::HasSubstr;

std::vector<double> weights(const WeightRule& rule, std::initializer_list<double> distances) {
  std::vector<NodePair> pairs;
  for (const double distance : distances) pairs.push_back({0, static_cast<NodeId>(pairs.size() + 1), distance});
  std::vector<double> list;
  const auto weighed = weigh_edges(pairs, rule);
  for (const WeightedEdge& edge : weighed->edges) list.push_back(edge.weight);
  return list;
}

TEST(EdgeWeights, FallWithDistance) {
  EXPECT_EQ(weights({.kind = Kind::kExp, .scale = 2}, {0, 4}), (std::vector<double>{1, std::exp(-2.0)}));
  EXPECT_EQ(weights({.kind = Kind::kInverse, .scale = 2}, {0, 6}), (std::vector<double>{1, 0.25}));
  EXPECT_EQ(weights({.kind = Kind::kBinary}, {0, 6}), (std::vector<double>{1, 1}));
  EXPECT_EQ(weights({.kind = Kind::kRescaled}, {5, 7})[0], 1);
  EXPECT_THAT(weights({.kind = Kind::kRescaled}, {7, 5, 6}),
              ::testing::Pointwise(::testing::DoubleEq(), {kLeastRescaled, 1.0, 0.505}));
  EXPECT_EQ(weights({.kind = Kind::kRescaled}, {3, 3}), (std::vector<double>{1, 1}));
}

TEST(EdgeWeights, MedianScaleDoesNotDependOnUnits) {
  EXPECT_EQ(weights({.median_scale = true}, {1, 2, 8}), weights({.median_scale = true}, {1000, 2000, 8000}));
  EXPECT_EQ(weights({.median_scale = true}, {0, 0, 2})[2], std::exp(-1.0));
  EXPECT_EQ(weights({.median_scale = true}, {0, 0})[0], 1);
}

TEST(EdgeWeights, ThatVanishAreNoEdges) {
  const auto weighed = weigh_edges({{0, 1, 1}, {0, 2, 1000}}, {});
  EXPECT_EQ(weighed->edges.size(), 1U);
  ASSERT_EQ(weighed->vanished.size(), 1U);
  EXPECT_EQ(weighed->vanished[0].b, 2);
}

TEST(EdgeWeights, RefuseAScaleThatIsNotPositive) {
  EXPECT_FALSE(weigh_edges({{0, 1, 1}}, {.scale = 0}));
  EXPECT_FALSE(weigh_edges({{0, 1, 1}}, {.scale = std::nan("")}));
}

// 0–1 and 1–2 within and between clusters {0, 1}, {2, 3}; 3 has no edge. Two of six pairs are within clusters.
TEST(GraphSummary, CountsWhatMatters) {
  const auto graph = EmpiricalGraph::make(4, {{0, 1, 3}, {1, 2, 1e-7}});
  const Partition clusters{{0, 0, 1, 1}, 2};
  const GraphSummary summary = summarise_graph(*graph, &clusters);
  EXPECT_EQ(summary.degree.low, 0);
  EXPECT_EQ(summary.degree.high, 2);
  EXPECT_EQ(summary.hub, 1);
  EXPECT_EQ(summary.components, 2);
  EXPECT_EQ(summary.isolated, std::vector<NodeId>{3});
  EXPECT_EQ(summary.clusters->share, 0.5);
  EXPECT_NEAR(summary.clusters->weight_share, 1, 1e-7);
  EXPECT_DOUBLE_EQ(summary.clusters->share_by_chance, 1.0 / 3);
  const auto warnings = graph_warnings(summary, {"a", "b", "c", "d"});
  EXPECT_THAT(warnings, ::testing::ElementsAre(HasSubstr("'d'"), HasSubstr("2 components"), HasSubstr("1e-07")));
}

TEST(GraphSummary, WarnsOfHubs) {
  std::vector<WeightedEdge> star;
  std::vector<std::string> names{"hub"};
  for (NodeId i = 1; i <= 60; ++i) {
    star.push_back({0, i, 1});
    names.push_back(std::to_string(i));
  }
  const auto warnings = graph_warnings(summarise_graph(*EmpiricalGraph::make(61, star), nullptr), names);
  EXPECT_THAT(warnings, ::testing::ElementsAre(HasSubstr("'hub' is a hub with 60 edges")));
}

}  // namespace
}  // namespace gtvmin
