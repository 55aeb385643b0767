#include <gtest/gtest.h>

#include "gtvmin/baselines/baseline.h"
#include "net_data.h"

namespace gtvmin {
namespace {

TEST(RivalsOnNets, LowerTheObjectiveWithTheSameBitsForEveryNumberOfThreads) {
  const Dataset dataset = testing::two_rings(40);
  for (const std::string name : {"gradient", "nlasso-admm", "mocha"}) {
    const auto result_with = [&](int threads) {
      const ModelPtr model = *make_torch_model({.name = "mlp", .intercept = true}, {.hidden = {5}}, shape_of(dataset));
      const Problem problem = *make_problem(dataset, *model, {}, *make_penalty("l2"), 0.01);
      const BaselineInput input{.problem = problem, .dataset = &dataset, .model = model.get(), .clusters = nullptr};
      const BaselineOptions options{.rounds = 60, .learning_rate = 0.03, .admm_penalty = 0.1, .threads = threads};
      BaselineResult result = *run_baseline(*find_baseline(name), input, options);
      EXPECT_LT(objective(problem, result.w), 0.5 * objective(problem, start_point(problem))) << name;
      return result;
    };
    const BaselineResult one = result_with(1);
    EXPECT_TRUE(result_with(2).w == one.w) << name;
  }
}

}  // namespace
}  // namespace gtvmin
