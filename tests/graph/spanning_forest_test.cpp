#include "gtvmin/graph/spanning_forest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "testing/random_problems.h"

namespace gtvmin {
namespace {

/// The largest sum of priorities of all subsets of edges that are spanning forests.
double best_by_enumeration(const EmpiricalGraph& graph, const std::vector<double>& priority) {
  const int wanted = graph.nodes() - connected_groups(graph).groups;
  double best = -1e300;
  for (unsigned subset = 0; subset < 1U << graph.edges(); ++subset) {
    if (std::popcount(subset) != wanted) continue;
    std::vector<char> keep(graph.edges());
    double sum = 0;
    for (EdgeId e = 0; e < graph.edges(); ++e) {
      keep[e] = static_cast<char>((subset >> e) & 1U);
      if (keep[e] != 0) sum += priority[e];
    }
    if (graph.nodes() - connected_groups(graph, keep).groups == wanted) best = std::max(best, sum);
  }
  return best;
}

void expect_rooted(const EmpiricalGraph& graph, const SpanningForest& forest) {
  ASSERT_EQ(forest.order.size(), static_cast<std::size_t>(graph.nodes()));
  std::vector<char> seen(graph.nodes(), 0);
  for (const NodeId i : forest.order) {
    EXPECT_EQ(seen[i], 0);
    seen[i] = 1;
    if (forest.parent[i] < 0) {
      EXPECT_EQ(forest.edge[i], -1);
      continue;
    }
    EXPECT_EQ(seen[forest.parent[i]], 1) << "a parent stands before its children";
    const EdgeId e = forest.edge[i];
    EXPECT_EQ(std::minmax(graph.head(e), graph.tail(e)), std::minmax(i, forest.parent[i]));
  }
}

TEST(MaximumSpanningForest, IsTheBestOfAllForests) {
  Rng rng(5);
  for (int trial = 0; trial < 60; ++trial) {
    const auto nodes = static_cast<NodeId>(2 + rng.below(5));
    std::vector<WeightedEdge> edges;
    for (NodeId i = 0; i < nodes; ++i) {
      for (NodeId j = i + 1; j < nodes; ++j) {
        if (rng.below(2) == 0) edges.push_back({i, j, 1});
      }
    }
    const EmpiricalGraph graph = *EmpiricalGraph::make(nodes, edges);
    std::vector<double> priority(graph.edges());
    for (double& p : priority) p = trial % 2 == 0 ? rng.normal() : static_cast<double>(rng.below(3));  // with ties
    const SpanningForest forest = maximum_spanning_forest(graph, priority);
    expect_rooted(graph, forest);
    double sum = 0;
    NodeId roots = 0;
    for (NodeId i = 0; i < nodes; ++i) {
      if (forest.edge[i] >= 0) sum += priority[forest.edge[i]];
      roots += forest.parent[i] < 0 ? 1 : 0;
    }
    EXPECT_EQ(roots, connected_groups(graph).groups);
    EXPECT_NEAR(sum, best_by_enumeration(graph, priority), 1e-12);
  }
}

TEST(MaximumSpanningForest, IsRootedAtItsStrongestEdge) {
  Rng rng(6);
  const EmpiricalGraph graph = random_graph(rng, 40, 60);
  std::vector<double> priority(graph.edges());
  for (double& p : priority) p = rng.uniform();
  const SpanningForest forest = maximum_spanning_forest(graph, priority);
  const auto best = static_cast<EdgeId>(std::max_element(priority.begin(), priority.end()) - priority.begin());
  const NodeId root = forest.order.front();
  EXPECT_TRUE(root == graph.head(best) || root == graph.tail(best));
}

}  // namespace
}  // namespace gtvmin
