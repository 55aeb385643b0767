#include <gtest/gtest.h>

#include <cmath>

#include "gtvmin/similarity/kl_knn.h"
#include "gtvmin/similarity/sliced_wasserstein.h"
#include "similarity/similarity_fixtures.h"

namespace gtvmin {
namespace {

double estimate(const Matrix& p, const Matrix& q, NodeId k) {
  return knn_divergence(NeighbourSearch(p), NeighbourSearch(q), k);
}

// Between N(0, I) and N(s, I) the divergence is ‖s‖²/2; here ‖s‖² = 2·0.8² and 12·0.3². The second uses the blocks.
TEST(KnnDivergence, ConvergesToTheDivergenceOfGaussians) {
  const double in_plane = estimate(normal_points(2, 4000, 1), normal_points(2, 3000, 2, 0.8), 5);
  EXPECT_NEAR(in_plane, 0.64, 0.06);
  const double rough = estimate(normal_points(2, 50, 1), normal_points(2, 50, 2, 0.8), 5);
  EXPECT_LT(std::abs(in_plane - 0.64), std::abs(rough - 0.64));
}

// KL(N(0,1)‖N(0,4)) = log 2 + 1/8 − ½ = 0.318; the other way −log 2 + 2 − ½ = 0.807, which the estimate approaches only
// slowly from below, because the narrow sample says nothing about the tails of the wide one.
TEST(KnnDivergence, IsNotSymmetric) {
  const Matrix narrow = normal_points(1, 4000, 1);
  const Matrix wide = normal_points(1, 4000, 2, 0, 2);
  EXPECT_NEAR(estimate(narrow, wide, 5), std::log(2.0) - 0.375, 0.06);
  EXPECT_GT(estimate(wide, narrow, 5), 0.45);
  EXPECT_LT(estimate(wide, narrow, 5), 1.5 - std::log(2.0));
}

TEST(KnnDivergence, IsAboutZeroForOneDistributionWhateverTheNumberOfSamples) {
  EXPECT_NEAR(estimate(normal_points(2, 2000, 1), normal_points(2, 500, 2), 5), 0, 0.08);
  EXPECT_NEAR(estimate(normal_points(12, 800, 1), normal_points(12, 1600, 2), 5), 0, 0.3);
}

// By hand: p = {0, 1}, q = {3, 5}, k = 1: ρ = 1, 1; ν = 3, 2. (1/2)(log 3 + log 2) + log(2/1).
TEST(KnnDivergence, IsTheFormula) {
  Matrix p(1, 2);
  Matrix q(1, 2);
  p << 0, 1;
  q << 3, 5;
  EXPECT_NEAR(estimate(p, q, 1), 0.5 * std::log(6.0) + std::log(2.0), 1e-14);
}

// p = {0, 0, 2}, q = {0, 4}: ρ = 0, 0, 2 and ν = 0, 0, 2; zeros count as the smallest positive distance, 2, so that
// every ratio is 1 and log(2/2) remains.
TEST(KnnDivergence, TakesRepeatedPointsAsNearNotAsInfinitelyNear) {
  Matrix p(1, 3);
  Matrix q(1, 2);
  p << 0, 0, 2;
  q << 0, 4;
  EXPECT_NEAR(estimate(p, q, 1), 0, 1e-14);
  const Matrix same = Matrix::Ones(2, 8);
  EXPECT_NEAR(estimate(same, same, 5), std::log(8.0 / 7), 1e-14);
}

TEST(KnnDivergence, ToldDistancesAreNeverNegativeButKeepTheirRank) {
  std::vector<Matrix> nodes;
  for (std::uint64_t seed = 0; seed < 12; ++seed) nodes.push_back(normal_points(2, 60, seed));
  QuietContext context;
  const auto distances = knn_divergences(dataset_of(nodes), 5, context);
  Vector ranks(12);
  distances->ranks_from(0, ranks);
  ASSERT_LT(ranks.tail(11).minCoeff(), 0);
  const auto lists = distances->nearest(1, context);
  Index lowest = 0;
  ranks.tail(11).minCoeff(&lowest);
  EXPECT_EQ((*lists)[0][0].b, lowest + 1);
  EXPECT_EQ((*lists)[0][0].distance, 0);
}

TEST(Wasserstein, OfTwoSamplesOnALineMayHaveDifferentSizes) {
  // Quantile functions 0|6 and 0|3|6 over thirds and halves: (3/6)²… by hand: on [1/3, 1/2] |0 − 3|², on [1/2, 2/3] |6
  // − 3|².
  EXPECT_NEAR(squared_wasserstein_1d(Eigen::Vector2d(0, 6), Eigen::Vector3d(0, 3, 6)), 9.0 / 6 + 9.0 / 6, 1e-14);
  EXPECT_NEAR(squared_wasserstein_1d(Eigen::Vector2d(0, 6), Eigen::Vector4d(0, 0, 6, 6)), 0, 1e-14);
  EXPECT_NEAR(squared_wasserstein_1d(Eigen::Vector2d(1, 2), Eigen::Vector2d(4, 5)), 9, 1e-14);
}

// Along θ a shift by s moves every sample by ⟨θ, s⟩; over orthogonal frames of d directions the mean of ⟨θ, s⟩² is
// ‖s‖²/d.
TEST(Wasserstein, OfAShiftedSampleIsTheShiftOverTheRootOfTheDimension) {
  for (const Index d : {1, 3, 20}) {
    const Matrix samples = normal_points(d, 40, 2);
    const Vector shift = normal_points(d, 1, 3);
    const Matrix shifted = samples.colwise() + shift;
    QuietContext context;
    const auto distances = sliced_wasserstein_distances(dataset_of({samples, shifted, samples}), 2 * d, 5, context);
    Vector row(3);
    distances->ranks_from(0, row);
    EXPECT_NEAR(row[1], shift.norm() / std::sqrt(static_cast<double>(d)), 1e-12) << d;
    EXPECT_EQ(row[2], 0);
  }
}

}  // namespace
}  // namespace gtvmin
