// Routing by electric currents: the flow meets every demand, and thresholds leave slack for the worst demands.

#include "gtvmin/theory/current_routing.h"

#include <gtest/gtest.h>

#include <limits>

#include "testing/random_problems.h"

namespace gtvmin {
namespace {

TEST(ElectricCurrents, MeetDemandsThatAddUpToZero) {
  Rng rng(5);
  const EmpiricalGraph graph = random_graph(rng, 12, 14, 1);
  const ElectricCurrents currents(graph);
  Matrix demands = random_matrix(rng, 2, 12);
  const Vector mean = demands.rowwise().mean();
  demands.colwise() -= mean;
  Matrix flow(2, graph.edges());
  Vector row(12);
  for (EdgeId e = 0; e < graph.edges(); ++e) {
    currents.row(e, row);
    flow.col(e) = demands * row;
  }
  EXPECT_LE((apply_incidence_transpose(graph, flow) - demands).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LE(currents.defect(), 1e-12);
}

// A triangle of unit weights. A unit put in at node 0 and taken out evenly sends 1/3 over each of its edges and nothing
// over the third: R = (1/3, 1/3, 0) for edges 01, 02, 12. On edge 01 the row is (1/3, −1/3, 0), its median with equal
// weights 0, and Σ|R − c| = 2/3. Demands ≤ 0.3λ + 1: λ > (2/3)/(1 − 0.2) = 5/6.
TEST(CurrentThreshold, OfATriangleFollowsByHand) {
  const EmpiricalGraph triangle = *EmpiricalGraph::make(3, {{0, 1, 1}, {0, 2, 1}, {1, 2, 1}});
  const ElectricCurrents currents(triangle);
  const CurrentThreshold found = current_threshold(currents, Vector::Constant(3, 0.3), Vector::Ones(3));
  EXPECT_NEAR(found.lambda, 5.0 / 6, 1e-7);
  EXPECT_EQ(current_threshold(currents, Vector::Constant(3, 2), Vector::Ones(3)).lambda,
            std::numeric_limits<double>::infinity());
}

TEST(CurrentThreshold, LeavesSlackForRandomDemands) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const EmpiricalGraph graph = random_graph(rng, 7, 20, 0.3);
    Vector fixed(7);
    Vector scaled(7);
    for (double& entry : fixed) entry = 0.05 * rng.uniform();
    for (double& entry : scaled) entry = rng.uniform();
    const ElectricCurrents currents(graph);
    const double lambda = current_threshold(currents, fixed, scaled).lambda;
    ASSERT_TRUE(std::isfinite(lambda));
    const Vector limit = lambda * fixed + scaled;
    Vector row(7);
    for (int k = 0; k < 100; ++k) {
      // Demands of full size with random signs; the last node balances the others if it can.
      Vector demand(7);
      for (NodeId i = 0; i < 7; ++i) demand[i] = (rng.below(2) == 0 ? -1 : 1) * limit[i];
      demand[6] = -demand.head(6).sum();
      if (std::abs(demand[6]) > limit[6]) continue;
      for (EdgeId e = 0; e < graph.edges(); ++e) {
        currents.row(e, row);
        EXPECT_LT(std::abs(row.dot(demand)), lambda * graph.weight(e));
      }
    }
  }
}

}  // namespace
}  // namespace gtvmin
