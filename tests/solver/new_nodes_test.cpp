#include "gtvmin/solver/new_nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gtvmin {
namespace {

using ::testing::ElementsAre;

// Known nodes 0, 1, 2 at (0, 0), (4, 0), (0, 3); node 3 is new.
const Matrix kKnown{{0, 4, 0}, {0, 0, 3}};

EmpiricalGraph graph(NodeId nodes, std::vector<WeightedEdge> edges) { return *EmpiricalGraph::make(nodes, edges); }

TEST(NewNodes, TakeTheMeanTheMedianOrTheGeometricMedianOfTheirNeighbours) {
  const EmpiricalGraph star = graph(4, {{0, 3, 1}, {1, 3, 1}, {2, 3, 2}});
  const Matrix mean = *parameters_of_new_nodes(kKnown, star, SquaredL2Penalty{});
  EXPECT_NEAR(mean(0), 1, 1e-6);
  EXPECT_NEAR(mean(1), 1.5, 1e-6);
  // Weights 1, 1, 2: coordinate by coordinate, 0 has weight 3 of 4; the second lies anywhere between 0 and 3.
  const Matrix median = *parameters_of_new_nodes(kKnown, star, L1Penalty{});
  EXPECT_NEAR(median(0), 0, 1e-6);
  EXPECT_GE(median(1), -1e-6);
  EXPECT_LE(median(1), 3 + 1e-6);
  // Pulls of length 1 and 1 never balance one of length 2 unless they point the same way: the third wins.
  const Matrix geometric = *parameters_of_new_nodes(kKnown, star, L2Penalty{});
  EXPECT_NEAR((geometric - kKnown.col(2)).norm(), 0, 1e-6);
}

TEST(NewNodes, ReachKnownOnesThroughOtherNewOnes) {
  // 1 – 3 – 4 – 2: equally spaced between the ends with squared differences.
  const EmpiricalGraph chain = graph(5, {{1, 3, 1}, {3, 4, 1}, {2, 4, 1}});
  const Matrix w = *parameters_of_new_nodes(kKnown, chain, SquaredL2Penalty{});
  EXPECT_TRUE(w.isApprox((Matrix(2, 2) << 8.0 / 3, 4.0 / 3, 1, 2).finished(), 1e-5));
}

TEST(NewNodes, ThatNothingConnectsAreFound) {
  EXPECT_THAT(unreachable_nodes(graph(7, {{0, 1, 1}, {2, 3, 1}, {4, 5, 1}}), 3), ElementsAre(4, 5, 6));
}

}  // namespace
}  // namespace gtvmin
