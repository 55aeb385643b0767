#include "gtvmin/second_order/laplacian_system.h"

#include <gtest/gtest.h>

#include "testing/random_problems.h"

namespace gtvmin {
namespace {

using Way = LaplacianSystem::Way;

/// Conductances of which every third is 0, so that some nodes are cut off.
std::vector<double> some_conductances(const EmpiricalGraph& graph) {
  std::vector<double> conductances = weights_of(graph);
  for (std::size_t e = 0; e < conductances.size(); e += 3) conductances[e] = 0;
  return conductances;
}

Partition components_of(const EmpiricalGraph& graph, const std::vector<double>& conductances) {
  std::vector<char> there;
  there.reserve(conductances.size());
  for (const double conductance : conductances) there.push_back(conductance > 0 ? 1 : 0);
  return connected_groups(graph, there);
}

TEST(LaplacianSystem, FindsTheFlowThatBringsEveryNodeItsShareOverTheEdgesThatAreThere) {
  Rng rng(1);
  for (const Way way : {Way::kAny, Way::kIterative}) {
    for (const int extra : {0, 30, 400}) {
      SCOPED_TRACE(::testing::Message() << extra << " more edges than a tree has, " << (way == Way::kAny));
      const EmpiricalGraph graph = random_graph(rng, 60, extra);
      const auto conductances = some_conductances(graph);
      const Matrix b = without_means(components_of(graph, conductances), random_matrix(rng, 5, graph.nodes()));
      ThreadTeam team(2);
      const LaplacianSystem system(graph, conductances, team, way);
      EXPECT_EQ(system.is_direct(), way == Way::kAny);
      Matrix flow = Matrix::Zero(5, graph.edges());
      system.add_flow(system.solve(b, 1e-13 * b.norm()), flow);
      EXPECT_LE((apply_incidence_transpose(graph, flow) - b).norm(), 1e-11 * b.norm());
      for (EdgeId e = 0; e < graph.edges(); ++e) EXPECT_TRUE(conductances[e] > 0 || flow.col(e).isZero(0));
    }
  }
}

TEST(LaplacianSystem, AnswersWithTheSameBitsWhoeverHelps) {
  Rng rng(2);
  const EmpiricalGraph graph = random_graph(rng, 1500, 3000);
  const auto conductances = some_conductances(graph);
  const Matrix b = without_means(components_of(graph, conductances), random_matrix(rng, 3, graph.nodes()));
  for (const Way way : {Way::kAny, Way::kIterative}) {
    ThreadTeam alone(1);
    ThreadTeam three(3);
    EXPECT_EQ(LaplacianSystem(graph, conductances, alone, way).solve(b, 0, 30),
              LaplacianSystem(graph, conductances, three, way).solve(b, 0, 30));
  }
}

TEST(LaplacianSystem, KeepsWhatItHasWhereRoundingEndsTheProgress) {
  // A long path has potentials whose rounding is larger than what is asked for.
  std::vector<WeightedEdge> edges;
  constexpr NodeId kNodes = 20'000;
  for (NodeId i = 0; i + 1 < kNodes; ++i) edges.push_back({i, i + 1, 1});
  const EmpiricalGraph path = *EmpiricalGraph::make(kNodes, std::move(edges));
  Rng rng(3);
  const Matrix b = without_means(connected_groups(path), random_matrix(rng, 2, kNodes));
  ThreadTeam team(1);
  const LaplacianSystem system(path, weights_of(path), team);
  Matrix flow = Matrix::Zero(2, path.edges());
  system.add_flow(system.solve(b, 0), flow);
  EXPECT_LE((apply_incidence_transpose(path, flow) - b).norm(), 1e-7 * b.norm());
}

}  // namespace
}  // namespace gtvmin
