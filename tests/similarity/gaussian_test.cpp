#include "gtvmin/similarity/gaussian.h"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>

#include "similarity/similarity_fixtures.h"

namespace gtvmin {
namespace {

Gaussian on_a_line(double mean, double deviation) {
  return {Vector::Constant(1, mean), Matrix::Constant(1, 1, deviation * deviation)};
}

// KL(N(µ,σ²)‖N(ν,τ²)) = log(τ/σ) + (σ² + (µ − ν)²)/2τ² − ½. From N(0,1) to N(3,4): log 2 + 10/8 − ½ = 1.4431…; back:
// −log 2 + 13/2 − ½. The logarithms cancel in the mean: (0.75 + 6)/2 = 3.375.
TEST(GaussianDivergence, IsTheMeanOfBothDirectionsOnALine) {
  EXPECT_NEAR(gaussian_divergence(on_a_line(0, 1), on_a_line(3, 2)), 3.375, 1e-12);
  EXPECT_EQ(gaussian_divergence(on_a_line(1, 2), on_a_line(1, 2)), 0);
}

// W₂² = (µ − ν)² + (σ − τ)² on a line.
TEST(GaussianWasserstein, AddsShiftAndSpreadOnALine) {
  EXPECT_NEAR(gaussian_wasserstein(on_a_line(0, 1), on_a_line(3, 5)), 5, 1e-12);
}

// Covariances with the same eigenvectors commute: tr(Σ_p + Σ_q − 2(Σ_pΣ_q)^½) = Σ_k (√a_k − √b_k)². A zero eigenvalue
// is a distribution without density.
TEST(GaussianWasserstein, ComparesDeviationsAxisByAxisAlsoWhereCovariancesAreSingular) {
  const Matrix axes = Eigen::HouseholderQR<Matrix>(normal_points(3, 3, 5)).householderQ();
  const Vector a = Eigen::Vector3d(4, 0, 9);
  const Vector b = Eigen::Vector3d(1, 0, 25);
  const Gaussian p{Vector::Zero(3), axes * a.asDiagonal() * axes.transpose()};
  const Gaussian q{Vector::Zero(3), axes * b.asDiagonal() * axes.transpose()};
  EXPECT_NEAR(gaussian_wasserstein(p, q), std::sqrt(1.0 + 0 + 4), 1e-10);
}

TEST(GaussianFit, HasMeanAndCovarianceOfTheSamples) {
  Matrix samples(2, 2);
  samples << 1, 3, 5, 5;
  const Gaussian fit = fit_gaussian(samples);
  EXPECT_EQ(fit.mean, Eigen::Vector2d(2, 5));
  EXPECT_EQ(fit.covariance, (Matrix(2, 2) << 1, 0, 0, 0).finished());
}

// One sample per node, or a feature that never changes: covariances are singular, the ridge makes the divergence
// finite.
TEST(GaussianDivergence, StaysFiniteForSingularCovariances) {
  Matrix constant = normal_points(2, 5, 3);
  constant.row(1).setConstant(4);
  const Dataset dataset = dataset_of({constant, normal_points(2, 1, 4), normal_points(2, 3, 5)});
  QuietContext context;
  const auto distances = divergences_between_gaussians(dataset, 1e-3, context);
  ASSERT_TRUE(distances);
  Vector ranks(3);
  distances->ranks_from(0, ranks);
  EXPECT_TRUE(ranks.allFinite());
  const auto refused =
      divergences_between_gaussians(dataset_of({normal_points(2, 1, 1), normal_points(2, 1, 2)}), 1e-3, context);
  EXPECT_FALSE(refused);
}

}  // namespace
}  // namespace gtvmin
