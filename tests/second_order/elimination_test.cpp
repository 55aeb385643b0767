#include "gtvmin/second_order/elimination.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gtvmin/graph/generators/chain.h"
#include "gtvmin/graph/generators/grid.h"
#include "gtvmin/graph/generators/sbm.h"
#include "gtvmin/graph/generators/star.h"
#include "testing/random_problems.h"

namespace gtvmin {
namespace {

EmpiricalGraph graph_of(const Result<GeneratedGraph>& generated) {
  return *EmpiricalGraph::make(generated->nodes(), generated->edges);
}

/// Entries of the factor by its definition: whom a node still sees when its turn comes is connected from then on.
double entries_by_hand(const EmpiricalGraph& graph, const std::vector<NodeId>& turn, const std::vector<char>& keep) {
  const NodeId nodes = graph.nodes();
  std::vector<std::vector<char>> sees(nodes, std::vector<char>(nodes, 0));
  for (EdgeId e = 0; e < graph.edges(); ++e) {
    if (keep[e] == 0) continue;
    sees[turn[graph.head(e)]][turn[graph.tail(e)]] = 1;
    sees[turn[graph.tail(e)]][turn[graph.head(e)]] = 1;
  }
  double entries = nodes;
  for (NodeId k = 0; k < nodes; ++k) {
    for (NodeId a = k + 1; a < nodes; ++a) {
      if (sees[k][a] == 0) continue;
      ++entries;
      for (NodeId b = k + 1; b < nodes; ++b) {
        if (b != a && sees[k][b] != 0) sees[a][b] = 1;
      }
    }
  }
  return entries;
}

void expect_a_plan(const EmpiricalGraph& graph, const std::vector<char>& keep) {
  const Elimination plan = plan_elimination(graph, keep);
  std::vector<NodeId> turns = plan.turn;
  std::sort(turns.begin(), turns.end());
  std::vector<NodeId> all(graph.nodes());
  std::iota(all.begin(), all.end(), 0);
  ASSERT_EQ(turns, all) << "every node has its turn once";
  EXPECT_EQ(plan.entries, entries_by_hand(graph, plan.turn, keep));
}

TEST(Elimination, TellsTheEntriesOfTheFactorAlsoWithoutSomeEdges) {
  Rng rng(5);
  for (const EmpiricalGraph& graph :
       {graph_of(grid_graph(8, 9)), graph_of(chain_graph(std::vector<NodeId>{30, 21}, 0.3)), graph_of(star_graph(40)),
        random_graph(rng, 60, 20)}) {
    std::vector<char> keep(graph.edges(), 1);
    expect_a_plan(graph, keep);
    for (auto& kept : keep) kept = rng.below(4) == 0 ? 0 : 1;
    expect_a_plan(graph, keep);
  }
}

TEST(Elimination, AddsNothingToAForest) {
  const EmpiricalGraph chain = graph_of(chain_graph(std::vector<NodeId>{400, 600}, 0.3));
  EXPECT_EQ(plan_elimination(chain).entries, 1000 + 999);
}

TEST(Elimination, DoesNotOrderWhatFillsInAnyway) {
  const EmpiricalGraph dense = graph_of(sbm_graph({.sizes = {30, 30}, .p_in = 0.9, .p_out = 0.5}, 1));
  EXPECT_TRUE(plan_elimination(dense).turn.empty());
  EXPECT_EQ(plan_elimination(dense).entries, 60 * 61 / 2);
  const EmpiricalGraph large = graph_of(sbm_graph({.sizes = {3000, 3000}, .p_in = 0.004, .p_out = 0.0001}, 1));
  EXPECT_TRUE(std::isinf(plan_elimination(large).entries));
}

}  // namespace
}  // namespace gtvmin
