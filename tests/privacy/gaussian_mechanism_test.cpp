#include "gtvmin/privacy/gaussian_mechanism.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gtvmin/base/rng.h"

namespace gtvmin {
namespace {

RandomBits seeded(std::uint64_t seed) {
  return [rng = Rng(seed)]() mutable { return rng.bits(); };
}

TEST(Clipping, KeepsShortVectorsAndShortensLongOnes) {
  Vector inside = Vector::Constant(4, 0.5);
  clip_to_ball(inside, 1);
  EXPECT_EQ(inside, Vector::Constant(4, 0.5));
  Vector outside(2);
  outside << 3, 4;
  clip_to_ball(outside, 2);
  EXPECT_DOUBLE_EQ(outside[0], 1.2);
  EXPECT_DOUBLE_EQ(outside[1], 1.6);
  Vector huge = Vector::Constant(3, 1e300);
  clip_to_ball(huge, 1);
  EXPECT_NEAR(huge.norm(), 1, 1e-12);
}

TEST(GaussianMechanism, ItsNoiseHasTheStatedMeanVarianceAndNoCorrelation) {
  const GaussianMechanism mechanism{.clip = 5, .noise = 0.8};
  const RandomBits bits = seeded(7);
  constexpr int kRounds = 40'000;
  Vector v(3);
  v << 1, -2, 0.5;
  Vector mean = Vector::Zero(3);
  Matrix second = Matrix::Zero(3, 3);
  for (int round = 0; round < kRounds; ++round) {
    Vector sent = v;
    mechanism.release(sent, bits);
    mean += sent - v;
    second += (sent - v) * (sent - v).transpose();
  }
  mean /= kRounds;
  second /= kRounds;
  // Deviation σC = 4. Five standard errors: 4/√n of the mean, 16·√(2/n) of a variance, 16/√n of a covariance.
  const double root = std::sqrt(kRounds);
  EXPECT_LT(mean.cwiseAbs().maxCoeff(), 5 * 4 / root);
  for (Index j = 0; j < 3; ++j) {
    EXPECT_NEAR(second(j, j), 16, 5 * 16 * std::sqrt(2) / root);
    for (Index k = 0; k < j; ++k) EXPECT_NEAR(second(j, k), 0, 5 * 16 / root);
  }
}

TEST(GaussianMechanism, ItsNoiseIsNormal) {
  const GaussianMechanism mechanism{.clip = 1, .noise = 1};
  const RandomBits bits = seeded(11);
  constexpr Index kDraws = 100'000;
  Vector noise = Vector::Zero(kDraws);
  mechanism.release(noise, bits);
  std::sort(noise.begin(), noise.end());
  double distance = 0;  // Kolmogorov and Smirnov
  for (Index k = 0; k < kDraws; ++k) {
    const double below = 0.5 * std::erfc(-noise[k] / std::sqrt(2));
    distance = std::max(distance, std::abs(below - (static_cast<double>(k) + 0.5) / kDraws));
  }
  EXPECT_LT(distance, 1.95 / std::sqrt(kDraws));  // one draw in a thousand is above
}

TEST(GaussianMechanism, WhichValuesCanOccurDoesNotDependOnTheVector) {
  const GaussianMechanism mechanism{.clip = 1, .noise = 0.75};
  const double grid = std::ldexp(1.0, -1 - 20);  // 0.75 lies between 2⁻¹ and 1
  for (const double value : {0.0, 1.0 / 3, 1e-9, -0.7}) {
    Vector v = Vector::Constant(99, value);
    mechanism.release(v, seeded(3));
    for (const double entry : v) EXPECT_EQ(entry / grid, std::round(entry / grid));
  }
}

TEST(GaussianMechanism, ClipsBeforeItAddsNoise) {
  const GaussianMechanism mechanism{.clip = 1, .noise = 1e-6};
  Vector v = Vector::Constant(2, 1e9);
  mechanism.release(v, seeded(1));
  EXPECT_NEAR(v.norm(), 1, 1e-4);
}

}  // namespace
}  // namespace gtvmin
