// Federated baselines on neural nets, whose losses are not convex and start away from 0.
#include <gtest/gtest.h>

#include "gtvmin/baselines/baseline.h"
#include "net_data.h"

namespace gtvmin {
namespace {

struct Nets {
  Dataset dataset = testing::two_rings(40);
  Partition clusters{.group_of = {0, 0, 0, 1, 1, 1}, .groups = 2};
  ModelPtr model = std::move(*make_torch_model({.name = "mlp", .intercept = true}, {.hidden = {8}, .seed = 3},
                                               testing::three_features_two_classes()));
  Problem problem = *make_problem(dataset, *model, {}, L2Penalty{}, 0.01);

  [[nodiscard]] BaselineResult run(const char* method, const BaselineOptions& options) const {
    const BaselineInput input{.problem = problem, .dataset = &dataset, .model = model.get(), .clusters = &clusters};
    return *run_baseline(*find_baseline(method), input, options);
  }
};

class FederatedNet : public ::testing::TestWithParam<const char*> {};

// fedavg is not among them: the labels of one ring are those of the other exchanged, so one net for all learns nothing.
TEST_P(FederatedNet, IsTrainedInBatches) {
  const Nets nets;
  const double at_start = total_loss(nets.problem, start_point(nets.problem));
  const BaselineResult result =
      nets.run(GetParam(),
               {.rounds = 40, .batch_size = 10, .learning_rate = 0.1, .restarts = 1, .proximity = 0.1, .threads = 2});
  EXPECT_LT(result.trace.back().loss, 0.8 * at_start);
}

INSTANTIATE_TEST_SUITE_P(All, FederatedNet,
                         ::testing::Values("fedavg-per-cluster", "dfedavgm", "ifca", "pfedme", "ditto"));

TEST(FederatedNets, SayWhetherTheirLossAveragesOrAddsUpSamples) {
  const Nets nets;
  EXPECT_TRUE(nets.model->averages_samples());
  const auto sum = make_torch_model({.name = "mlp", .mean = false}, {}, testing::three_features_two_classes());
  EXPECT_FALSE((*sum)->averages_samples());
}

TEST(FederatedNets, AreTunedByCurvatureAtTheirStart) {
  const Nets nets;
  const double at_start = total_loss(nets.problem, start_point(nets.problem));
  const BaselineResult result = nets.run("fedavg-per-cluster", {.rounds = 20});
  ASSERT_EQ(result.tuning.size(), 6U);
  EXPECT_FALSE(result.tuning.front().chosen);
  EXPECT_LT(result.trace.back().loss, 0.8 * at_start);
}

TEST(FederatedNets, FindTheirClustersByIfca) {
  const Nets nets;
  const BaselineResult result = nets.run("ifca", {.rounds = 60, .learning_rate = 0.5, .models = 2, .restarts = 4});
  EXPECT_EQ(result.clusters.group_of, nets.clusters.group_of);
}

}  // namespace
}  // namespace gtvmin
