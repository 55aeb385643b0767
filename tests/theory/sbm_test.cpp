// The stochastic block model of the paper: Definition 1 fails on every cluster, currents recover both.

#include <gtest/gtest.h>

#include "gtvmin/graph/generators/sbm.h"
#include "gtvmin/problem/model.h"
#include "gtvmin/synthetic/synthetic_data.h"
#include "gtvmin/theory/analysis.h"

namespace gtvmin {
namespace {

TEST(PaperSbm, IsRecoveredByCurrents) {
  const GeneratedGraph graph = *sbm_graph({.sizes = {100, 100}, .p_in = 0.5, .p_out = 0.01}, 1);
  const SyntheticData data = *make_synthetic_data(graph,
                                                  {.dimension = 2,
                                                   .min_samples = 5,
                                                   .max_samples = 5,
                                                   .noise = 0.1,
                                                   .accessible = 0.6,
                                                   .truth = TruthKind::kGiven,
                                                   .truth_values = Matrix{{2, -2}, {2, 2}}},
                                                  1);
  const Problem problem = *make_problem(data.dataset, ModelSpec{}, *make_penalty("l2"), 0.1);
  const ProblemAnalysis analysis = *analyse(problem, data.clusters, {.lambda = 0.1});
  ASSERT_EQ(analysis.clusters.size(), 2);
  for (const ClusterAnalysis& cluster : analysis.clusters) {
    EXPECT_EQ(cluster.constants.boundary, 99);
    EXPECT_LT(cluster.definition1_margin, 1);
    EXPECT_TRUE(cluster.definition1_interval.empty());
    EXPECT_EQ(cluster.proved_by, ClusterTest::kQuadraticCurrents);
  }
  EXPECT_NEAR(analysis.recovery.low, 0.0092, 0.00005);
  EXPECT_NEAR(analysis.recovery.high, 2.25, 0.005);
}

}  // namespace
}  // namespace gtvmin
