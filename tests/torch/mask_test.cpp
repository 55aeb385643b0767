#include <gtest/gtest.h>

#include "gtvmin/solver/solver.h"
#include "net_data.h"

namespace gtvmin {
namespace {

using testing::all_of;
using testing::Labelled;
using testing::start_of;
using testing::three_features_two_classes;
using testing::two_classes;
using testing::two_rings;

ModelPtr small_net() {
  auto model = make_torch_model({.name = "mlp"}, {.hidden = {4}}, three_features_two_classes());
  EXPECT_TRUE(model.ok());
  return *std::move(model);
}

TEST(Mask, OnlyCoupledParametersArePartOfW) {
  const Dataset dataset = two_rings(20);
  const ModelPtr model = small_net();  // 12 weights in layer 1, 8 in layer 2
  const auto problem = make_problem(dataset, *model, std::vector<std::string>{"layer1.*"}, L2Penalty{}, 0.1);
  ASSERT_TRUE(problem.ok());
  EXPECT_EQ(problem->dimension(), 12);
  EXPECT_EQ(problem->loss(0).parameters(), 20);
}

TEST(Mask, PrivateParametersAreTrainedButNotPulled) {
  const Labelled data = two_classes(60, 5);
  const std::vector<Index> coupled = {12, 13, 14, 15, 16, 17, 18, 19};  // layer 2
  const LossPtr loss = small_net()->loss_in(coupled, data.features, data.labels);
  const Vector start = start_of(*loss);
  const Vector before = all_of(*loss, start);
  EXPECT_EQ(before.tail(8), start);

  Vector z = start;
  Vector scratch(loss->scratch_size());
  loss->prox(start, 1e6, 0, z, scratch);  // a pull that leaves the coupled ones no choice
  const Vector after = all_of(*loss, z);
  EXPECT_LT((z - start).norm(), 1e-4);
  EXPECT_GT((after.head(12) - before.head(12)).norm(), 0.1);
  EXPECT_EQ(after.tail(8), z);

  EXPECT_EQ(all_of(*loss, start_of(*loss)), before);  // a new run
}

TEST(Mask, PrivateParametersDifferWhereCoupledOnesAgree) {
  const Dataset dataset = two_rings(60);
  const ModelPtr model = small_net();
  const auto problem = make_problem(dataset, *model, std::vector<std::string>{"layer1.*"}, L2Penalty{}, 100);
  ASSERT_TRUE(problem.ok());
  const SolveResult result = solve(*problem, {.max_iterations = 60});
  const Matrix all = all_parameters(*problem, result.w);
  ASSERT_EQ(all.rows(), 20);
  EXPECT_EQ(all.topRows(12), result.w);
  const double apart = (all.col(0) - all.col(3)).tail(8).norm();  // their labels are exchanged
  EXPECT_GT(apart, 5 * (result.w.col(0) - result.w.col(3)).norm());
}

TEST(Mask, ANodeWithoutSamplesKeepsItsPrivateParametersAtTheStart) {
  const std::vector<Index> coupled = {0, 1};
  const ModelPtr model = small_net();
  const LossPtr quiet = model->loss_in(coupled, Matrix(3, 0), Vector());
  const Labelled data = two_classes(5, 1);
  const LossPtr other = model->loss_in(coupled, data.features, data.labels);
  EXPECT_EQ(all_of(*quiet, start_of(*quiet)), all_of(*other, start_of(*other)));
  EXPECT_EQ(quiet->dimension(), 2);
}

}  // namespace
}  // namespace gtvmin
