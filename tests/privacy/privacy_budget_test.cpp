#include "gtvmin/privacy/privacy_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace gtvmin {
namespace {

using ::testing::HasSubstr;

TEST(PrivacyBudget, AllowsAsManyVectorsAsTheAccountantSaysAndThenRefuses) {
  auto budget = PrivacyBudget::make(10, 4, 1e-6);
  ASSERT_TRUE(budget.ok());
  const std::int64_t most = RenyiAccountant(10).releases_within(4, 1e-6);
  ASSERT_GT(most, 3);
  EXPECT_TRUE(budget->spend(most - 2).ok());
  EXPECT_TRUE(budget->allows(2));
  EXPECT_FALSE(budget->allows(3));
  const Status refused = budget->spend(3);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().messages.front(), HasSubstr("the privacy budget is gone"));
  EXPECT_EQ(budget->released(), most - 2) << "what was refused is not counted";
  EXPECT_TRUE(budget->spend(2).ok());
  EXPECT_FALSE(budget->spend(1).ok());
  EXPECT_LE(budget->spent(), 4);
}

TEST(PrivacyBudget, RemembersWhatAnEarlierRunHasSent) {
  auto first = PrivacyBudget::make(10, 4, 1e-6);
  ASSERT_TRUE(first->spend(50).ok());
  const auto second = PrivacyBudget::make(10, 4, 1e-6, first->released());
  EXPECT_EQ(second->left(), first->left());
  EXPECT_EQ(second->spent(), first->spent());
  const auto overdrawn = PrivacyBudget::make(10, 4, 1e-6, 1'000'000'000);
  EXPECT_EQ(overdrawn->left(), 0);
  EXPECT_FALSE(overdrawn->allows(1));
  EXPECT_TRUE(overdrawn->allows(0));
}

TEST(PrivacyBudget, RefusesNumbersThatPromiseNothing) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(PrivacyBudget::make(0, 1, 1e-6).ok());
  EXPECT_FALSE(PrivacyBudget::make(infinity, 1, 1e-6).ok());
  EXPECT_FALSE(PrivacyBudget::make(1, 0, 1e-6).ok());
  EXPECT_FALSE(PrivacyBudget::make(1, infinity, 1e-6).ok());
  EXPECT_FALSE(PrivacyBudget::make(1, 1, 0).ok());
  EXPECT_FALSE(PrivacyBudget::make(1, 1, 1).ok());
  EXPECT_FALSE(PrivacyBudget::make(1, 1, std::numeric_limits<double>::quiet_NaN()).ok());
  EXPECT_FALSE(PrivacyBudget::make(1, 1, 1e-6, -1).ok());
}

}  // namespace
}  // namespace gtvmin
