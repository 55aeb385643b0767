#include "gtvmin/privacy/privacy_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace gtvmin {
namespace {

using ::testing::HasSubstr;

TEST(PrivacyBudget, AllowsAsManyVectorsAsTheAccountantSaysAndThenRefuses) {
  auto budget = PrivacyBudget::make(4, 1e-6);
  ASSERT_TRUE(budget.ok());
  const std::int64_t most = RenyiAccountant().releases_left(10, 4, 1e-6);
  ASSERT_GT(most, 3);
  EXPECT_TRUE(budget->spend(10, most - 2).ok());
  EXPECT_EQ(budget->left(10), 2);
  const Status refused = budget->spend(10, 3);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().messages.front(), HasSubstr("the privacy budget is exhausted"));
  EXPECT_EQ(budget->released(), most - 2) << "what was refused is not counted";
  EXPECT_TRUE(budget->spend(10, 2).ok());
  EXPECT_FALSE(budget->spend(10, 1).ok());
  EXPECT_TRUE(budget->spend(10, 0).ok());
  EXPECT_LE(budget->spent(), 4);
}

TEST(PrivacyBudget, CountsVectorsWithDifferentNoiseTogether) {
  auto budget = PrivacyBudget::make(4, 1e-6);
  const std::int64_t most = budget->left(10);
  ASSERT_TRUE(budget->spend(20, 4 * (most - 10)).ok()) << "a vector with twice the noise costs a quarter";
  EXPECT_NEAR(static_cast<double>(budget->left(10)), 10, 1);
  EXPECT_EQ(budget->released(), 4 * (most - 10));
}

TEST(PrivacyBudget, TheLeastNoiseFitsAndIsRoundedToFourDigits) {
  for (const std::int64_t vectors : {1, 77, 600, 123'456}) {
    auto budget = PrivacyBudget::make(2, 1e-5);
    const double z = budget->least_multiplier(vectors);
    EXPECT_LT(budget->left(0.999 * z), vectors);
    ASSERT_TRUE(budget->spend(z, vectors).ok());
    EXPECT_GT(budget->spent(), 0.99 * budget->epsilon());
    EXPECT_TRUE(std::isinf(budget->least_multiplier(1))) << "what rounding leaves over is no budget";
    const double digits = z / std::pow(10.0, std::floor(std::log10(z)) - 3);
    EXPECT_NEAR(digits, std::round(digits), 1e-9);
  }
}

TEST(PrivacyBudget, RefusesNumbersThatPromiseNothing) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(PrivacyBudget::make(0, 1e-6).ok());
  EXPECT_FALSE(PrivacyBudget::make(infinity, 1e-6).ok());
  EXPECT_FALSE(PrivacyBudget::make(1, 0).ok());
  EXPECT_FALSE(PrivacyBudget::make(1, 1).ok());
  EXPECT_FALSE(PrivacyBudget::make(1, std::numeric_limits<double>::quiet_NaN()).ok());
}

}  // namespace
}  // namespace gtvmin
