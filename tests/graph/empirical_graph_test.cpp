#include "gtvmin/graph/empirical_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "testing/random_problems.h"

namespace gtvmin {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(EmpiricalGraph, SortsAndOrientsItsEdges) {
  const auto graph = *EmpiricalGraph::make(4, {{3, 1, 0.5}, {0, 2, 2}, {1, 0, 3}});
  ASSERT_EQ(graph.edges(), 3);
  EXPECT_EQ(graph.nodes(), 4);
  const NodeId heads[] = {0, 0, 1};
  const NodeId tails[] = {1, 2, 3};
  const double weights[] = {3, 2, 0.5};
  for (EdgeId e = 0; e < 3; ++e) {
    EXPECT_EQ(graph.head(e), heads[e]);
    EXPECT_EQ(graph.tail(e), tails[e]);
    EXPECT_EQ(graph.weight(e), weights[e]);
  }
  EXPECT_EQ(graph.degree(1), 2);
  ASSERT_EQ(graph.incident(1).size(), 2U);
  EXPECT_EQ(graph.incident(1)[0].sign, -1);
  EXPECT_EQ(graph.incident(1)[0].neighbour, 0);
  EXPECT_EQ(graph.incident(1)[1].sign, 1);
  EXPECT_EQ(graph.incident(1)[1].edge, 2);
}

TEST(EmpiricalGraph, RefusesWhatIsNoGraphWithTheReason) {
  const auto reason = [](NodeId nodes, std::vector<WeightedEdge> edges) {
    const auto graph = EmpiricalGraph::make(nodes, std::move(edges));
    return graph ? std::string("accepted") : graph.error().messages.front();
  };
  EXPECT_THAT(reason(2, {{0, 2, 1}}), HasSubstr("only 2 nodes"));
  EXPECT_THAT(reason(2, {{-1, 1, 1}}), HasSubstr("only 2 nodes"));
  EXPECT_THAT(reason(2, {{1, 1, 1}}), HasSubstr("self-loop"));
  EXPECT_THAT(reason(2, {{0, 1, 1}, {1, 0, 2}}), HasSubstr("given twice"));
  for (const double weight : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    EXPECT_THAT(reason(2, {{0, 1, weight}}), HasSubstr("weight"));
  }
  EXPECT_EQ(reason(3, {}), "accepted");
}

TEST(EmpiricalGraph, IncidenceAndItsTransposeAreAdjoint) {
  Rng rng(1);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const auto nodes = static_cast<NodeId>(2 + rng.below(30));
    const auto graph = random_graph(rng, nodes, 40);
    const Matrix w = random_matrix(rng, 3, graph.nodes());
    const Matrix u = random_matrix(rng, 3, graph.edges());
    const Matrix dw = apply_incidence(graph, w);
    const Matrix dtu = apply_incidence_transpose(graph, u);
    const double size = dw.norm() * u.norm();
    EXPECT_NEAR(dw.cwiseProduct(u).sum(), w.cwiseProduct(dtu).sum(), 1e-13 * size);
    for (NodeId i = 0; i < graph.nodes(); ++i) {  // the same sum through the incidence lists, in the same order
      Vector sum = Vector::Zero(3);
      for (const auto& [edge, neighbour, sign] : graph.incident(i)) {
        sum += sign * u.col(edge);
        EXPECT_EQ(neighbour, sign > 0 ? graph.tail(edge) : graph.head(edge));
      }
      EXPECT_EQ(sum, dtu.col(i));
    }
    EXPECT_LE(apply_incidence(graph, Matrix::Ones(3, graph.nodes())).norm(), 0);
  }
}

TEST(EmpiricalGraph, GroupsAreNumberedByTheirSmallestNode) {
  // 0–3–5, 1–4, 2 alone.
  const auto graph = *EmpiricalGraph::make(6, {{3, 0, 1}, {5, 3, 1}, {4, 1, 1}});
  const auto components = connected_groups(graph);
  EXPECT_EQ(components.groups, 3);
  EXPECT_THAT(components.group_of, ElementsAre(0, 1, 2, 0, 1, 0));
  // Edges in order: 0-3, 1-4, 3-5; without 3-5 node 5 is alone.
  const char keep[] = {1, 1, 0};
  EXPECT_THAT(connected_groups(graph, keep).group_of, ElementsAre(0, 1, 2, 0, 1, 3));
}

TEST(BreadthFirst, MeetsNodesByTheirDistanceComponentAfterComponent) {
  const auto graph = *EmpiricalGraph::make(6, {{0, 3}, {3, 1}, {1, 5}, {2, 4}});
  const auto [order, distance] = breadth_first(graph);
  EXPECT_THAT(order, ElementsAre(0, 3, 1, 5, 2, 4));
  EXPECT_THAT(distance, ElementsAre(0, 2, 0, 1, 1, 3));
}

TEST(EmpiricalGraph, AForestHasAtMostOneWayBetweenNodes) {
  EXPECT_TRUE(is_forest(*EmpiricalGraph::make(3, {})));
  EXPECT_TRUE(is_forest(*EmpiricalGraph::make(6, {{0, 1, 1}, {1, 2, 1}, {3, 4, 1}})));
  EXPECT_FALSE(is_forest(*EmpiricalGraph::make(3, {{0, 1, 1}, {1, 2, 1}, {2, 0, 1}})));
  EXPECT_FALSE(is_forest(*EmpiricalGraph::make(6, {{0, 1, 1}, {1, 2, 1}, {2, 0, 1}}))) << "beside nodes that are alone";
}

}  // namespace
}  // namespace gtvmin
