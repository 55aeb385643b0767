#include "gtvmin/problem/problem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "testing/random_problems.h"

namespace gtvmin {
namespace {

using ::testing::HasSubstr;

std::vector<LossPtr> zeros(std::initializer_list<Index> dimensions) {
  std::vector<LossPtr> losses;
  for (const Index d : dimensions) losses.push_back(QuadraticLoss::zero(d));
  return losses;
}

std::string reason(NodeId nodes, std::vector<LossPtr> losses, Penalty penalty = L2Penalty{}, double lambda = 1) {
  const auto problem = Problem::make(*EmpiricalGraph::make(nodes, {}), std::move(losses), std::move(penalty), lambda);
  return problem ? std::string("accepted") : problem.error().messages.front();
}

TEST(Problem, RefusesWhatDoesNotFitTogether) {
  EXPECT_EQ(reason(2, zeros({3, 3})), "accepted");
  EXPECT_EQ(reason(2, zeros({3, 3}), L2Penalty{}, 0), "accepted");
  EXPECT_THAT(reason(0, {}), HasSubstr("no nodes"));
  EXPECT_THAT(reason(2, zeros({3})), HasSubstr("1 losses for 2 nodes"));
  EXPECT_THAT(reason(2, zeros({3, 2})), HasSubstr("dimension 2"));
  EXPECT_THAT(reason(1, zeros({0})), HasSubstr("dimension 0"));
  std::vector<LossPtr> missing = zeros({3});
  missing.push_back(nullptr);
  EXPECT_THAT(reason(2, std::move(missing)), HasSubstr("node 1 has no loss"));
  for (const double lambda : {-1e-9, std::numeric_limits<double>::infinity(), std::nan("")}) {
    EXPECT_THAT(reason(1, zeros({3}), L2Penalty{}, lambda), HasSubstr("lambda"));
  }
  EXPECT_THAT(reason(1, zeros({3}), *make_penalty("quadratic", Matrix::Identity(2, 2))), HasSubstr("2 × 2"));
}

TEST(Problem, TheObjectiveIsWhatThePaperWrites) {
  // Two points 1 and 4 in one dimension at w = (2, 5): (2 − 1)² + (5 − 4)² + λ·A·|2 − 5| = 2 + 0.5·2·3.
  std::vector<LossPtr> losses;
  losses.push_back(QuadraticLoss::points(Matrix::Constant(1, 1, 1), 1, 0));
  losses.push_back(QuadraticLoss::points(Matrix::Constant(1, 1, 4), 1, 0));
  const auto problem = Problem::make(*EmpiricalGraph::make(2, {{0, 1, 2}}), std::move(losses), L1Penalty{}, 0.5);
  const Matrix w{{2, 5}};
  EXPECT_DOUBLE_EQ(total_loss(*problem, w), 2);
  EXPECT_DOUBLE_EQ(total_variation(*problem, w), 6);
  EXPECT_DOUBLE_EQ(objective(*problem, w), 5);
  EXPECT_DOUBLE_EQ(problem->kappa(0), 1);
}

}  // namespace
}  // namespace gtvmin
