#include "gtvmin/privacy/renyi_accountant.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gtvmin {
namespace {

double normal_below(double x) { return 0.5 * std::erfc(-x / std::sqrt(2)); }

/// The exact ε of a Gaussian mechanism with sensitivity 1 and deviation z: the least with
/// Φ(1/(2z) − εz) − e^ε Φ(−1/(2z) − εz) ≤ δ (Balle and Wang, ICML 2018, theorem 8).
double analytic_epsilon(double z, double delta) {
  const auto delta_at = [&](double epsilon) {
    return normal_below(1 / (2 * z) - epsilon * z) - std::exp(epsilon) * normal_below(-1 / (2 * z) - epsilon * z);
  };
  double low = 0;
  double high = 1;
  while (delta_at(high) > delta) high *= 2;
  for (int k = 0; k < 200; ++k) {
    const double middle = (low + high) / 2;
    (delta_at(middle) > delta ? low : high) = middle;
  }
  return high;
}

RenyiAccountant after(double z, std::int64_t releases) {
  RenyiAccountant accountant;
  accountant.add(z, releases);
  return accountant;
}

TEST(RenyiAccountant, TheDivergenceOfGaussiansIsTheClosedForm) {
  for (const double alpha : {1.1, 2.0, 17.0}) {
    EXPECT_DOUBLE_EQ(after(1.5, 1).divergence(alpha), alpha / (2 * 1.5 * 1.5));
    EXPECT_DOUBLE_EQ(after(1.5, 30).divergence(alpha), 30 * after(1.5, 1).divergence(alpha));
  }
}

TEST(RenyiAccountant, DivergencesOfDifferentNoiseAddUp) {
  RenyiAccountant mixed = after(2, 8);
  mixed.add(4, 16);
  for (const double alpha : {1.5, 6.0}) {
    EXPECT_DOUBLE_EQ(mixed.divergence(alpha), after(2, 8).divergence(alpha) + after(4, 16).divergence(alpha));
  }
  // 16 with z = 4 cost as much as 4 with z = 2.
  EXPECT_DOUBLE_EQ(mixed.spent(1e-6), after(2, 12).spent(1e-6));
  EXPECT_EQ(mixed.releases_left(2, 30, 1e-6), after(2, 0).releases_left(2, 30, 1e-6) - 12);
}

TEST(RenyiAccountant, TheClosedFormIsTheIntegral) {
  // D_α(N(1, z²) ‖ N(0, z²)) = log ∫ p^α q^(1−α) / (α − 1), by the trapezoidal rule.
  const double z = 1.3;
  const double alpha = 3;
  double sum = 0;
  const double step = 1e-3;
  for (double x = -30; x <= 30; x += step) {
    const double p = -(x - 1) * (x - 1) / (2 * z * z);
    const double q = -x * x / (2 * z * z);
    sum += std::exp(alpha * p + (1 - alpha) * q) * step / (z * std::sqrt(2 * M_PI));
  }
  EXPECT_NEAR(after(z, 1).divergence(alpha), std::log(sum) / (alpha - 1), 1e-9);
}

TEST(RenyiAccountant, IsNeverBelowTheExactCostAndNotFarAbove) {
  for (const double z : {0.5, 1.0, 4.0, 50.0}) {
    for (const std::int64_t releases : {1, 10, 100}) {
      for (const double delta : {1e-3, 1e-6, 1e-10}) {
        // k releases of one Gaussian are one release with z/√k.
        const double exact = analytic_epsilon(z / std::sqrt(static_cast<double>(releases)), delta);
        const double spent = after(z, releases).spent(delta);
        EXPECT_GE(spent, exact) << "z " << z << ", releases " << releases << ", delta " << delta;
        EXPECT_LE(spent, 1.15 * exact + 0.02) << "z " << z << ", releases " << releases << ", delta " << delta;
      }
    }
  }
}

TEST(RenyiAccountant, GrowsWithReleasesAndShrinksWithNoiseAndDelta) {
  double before = 0;
  for (std::int64_t k = 1; k < 200'000; k *= 3) {
    const double now = after(5, k).spent(1e-6);
    EXPECT_GT(now, before);
    EXPECT_LT(after(6, k).spent(1e-6), now);
    EXPECT_LT(after(5, k).spent(1e-5), now);
    before = now;
  }
  EXPECT_EQ(after(5, 0).spent(1e-6), 0);
}

TEST(RenyiAccountant, ReleasesLeftIsTheLastNumberThatFits) {
  for (const double z : {0.5, 2.0, 30.0}) {
    for (const double epsilon : {0.1, 1.0, 8.0, 100.0}) {
      const std::int64_t most = RenyiAccountant().releases_left(z, epsilon, 1e-6);
      EXPECT_LE(after(z, most).spent(1e-6), epsilon);
      EXPECT_GT(after(z, most + 1).spent(1e-6), epsilon);
      EXPECT_EQ(after(z, most).releases_left(z, epsilon, 1e-6), 0);
    }
  }
}

TEST(RenyiAccountant, CountsWhatTheTableOfTheDocumentationSays) {
  struct Row {
    double sigma;
    std::int64_t within_1, within_8;
  };
  const Row rows[] = {{1, 0, 0},         {10, 1, 52},          {30, 10, 473},
                      {100, 121, 5'259}, {300, 1'095, 47'338}, {1000, 12'177, 525'979}};
  for (const Row& row : rows) {
    EXPECT_EQ(RenyiAccountant().releases_left(row.sigma / 2, 1, 1e-6), row.within_1) << row.sigma;
    EXPECT_EQ(RenyiAccountant().releases_left(row.sigma / 2, 8, 1e-6), row.within_8) << row.sigma;
  }
}

TEST(RenyiAccountant, TheLeastMultiplierUsesUpWhatIsLeft) {
  const RenyiAccountant before = after(20, 100);
  const double z = before.least_multiplier(500, 8, 1e-6);
  EXPECT_GE(before.releases_left(1.0001 * z, 8, 1e-6), 500);
  EXPECT_LT(before.releases_left(0.9999 * z, 8, 1e-6), 500);
  EXPECT_TRUE(std::isinf(after(1, 1000).least_multiplier(1, 8, 1e-6)));
  EXPECT_EQ(RenyiAccountant().share_left(8, 1e-6), 1);
  EXPECT_EQ(after(1, 1000).share_left(8, 1e-6), 0);
}

}  // namespace
}  // namespace gtvmin
