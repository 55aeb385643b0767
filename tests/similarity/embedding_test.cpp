#include "gtvmin/similarity/embedding/embedding.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gtvmin/similarity/embedding/pca.h"
#include "gtvmin/similarity/embedding/random_projection.h"
#include "gtvmin/similarity/embedding/tsne.h"
#include "similarity/embedding/affinities.h"
#include "similarity/embedding/barnes_hut.h"
#include "similarity_fixtures.h"

namespace gtvmin {
namespace {

// Points along (3, 4)/5 at −2, 0, 2 and across it at ±1 (times (−4, 3)/5), around (10, 20).
TEST(Pca, FindsTheAxesOfACrossByHand) {
  Matrix points(2, 4);
  points.col(0) = Eigen::Vector2d(10 + 1.2, 20 + 1.6);
  points.col(1) = Eigen::Vector2d(10 - 1.2, 20 - 1.6);
  points.col(2) = Eigen::Vector2d(10 - 0.8, 20 + 0.6);
  points.col(3) = Eigen::Vector2d(10 + 0.8, 20 - 0.6);
  const Matrix found = principal_components(points, 2);
  EXPECT_NEAR(std::abs(found(0, 0)), 2, 1e-12);
  EXPECT_NEAR(found(0, 0) + found(0, 1), 0, 1e-12);
  EXPECT_NEAR(found(0, 2), 0, 1e-12);
  EXPECT_NEAR(std::abs(found(1, 3)), 1, 1e-12);
}

TEST(Pca, IsTheSameFromCovariancesAndFromInnerProducts) {
  const Matrix points = normal_points(6, 30, 1);
  Matrix high = Matrix::Zero(40, 30);  // more rows than points, nothing in the others
  high.topRows(6) = points;
  EXPECT_TRUE(principal_components(points, 3).isApprox(principal_components(high, 3), 1e-9));
}

TEST(RandomProjection, KeepsSquaredDistancesOnAverageAndDependsOnTheSeedAlone) {
  const Matrix points = normal_points(50, 40, 1);
  const Matrix embedded = random_projection(points, 30, 5);
  EXPECT_NEAR(embedded.squaredNorm() / points.squaredNorm(), 1, 0.1);
  EXPECT_EQ(embedded, random_projection(points, 30, 5));
  EXPECT_NE(embedded, random_projection(points, 30, 6));
}

TEST(Tsne, AffinitiesHaveTheEntropyOfThePerplexity) {
  const Matrix points = 1000 * normal_points(3, 200, 1);
  const NeighbourSearch search(points);
  constexpr Index kCount = 60;
  std::vector<Neighbour> list(kCount);
  search.nearest_others(0, 1, kCount, list);
  std::vector<double> weights(kCount);
  conditional_affinities(list.data(), kCount, 20, weights.data());
  double entropy = 0;
  for (const double w : weights) entropy -= w > 0 ? w * std::log(w) : 0;
  EXPECT_NEAR(entropy, std::log(20.0), 1e-5);
  QuietContext context;
  const auto affinities = neighbour_affinities(points, 20, context);
  EXPECT_NEAR(Eigen::Map<const Vector>(affinities->value.data(), static_cast<Index>(affinities->value.size())).sum(), 1,
              1e-12);
}

template <int D>
void expect_sums_by_hand(double theta, double tolerance) {
  Matrix points = 5 * normal_points(D, 300, 9);
  points.rightCols(40).colwise() = Vector::Ones(D);  // one heap of equal points
  CellTree<D> tree;
  tree.build(points.data(), points.cols(), theta);
  for (Index k = 0; k < points.cols(); ++k) {
    const auto found = tree.repulsion(k);
    double sum = 0;
    Vector force = Vector::Zero(D);
    for (Index j = 0; j < points.cols(); ++j) {
      const Vector difference = points.col(tree.number(k)) - points.col(j);
      const double q = 1 / (1 + difference.squaredNorm());
      if (j != tree.number(k)) sum += q;
      force += q * q * difference;
    }
    EXPECT_NEAR(found.sum, sum, tolerance * sum);
    for (int c = 0; c < D; ++c) EXPECT_NEAR(found.force[c], force[c], tolerance * sum);
  }
}

TEST(Tsne, CellsAddUpToAllPoints) {
  expect_sums_by_hand<1>(0, 1e-12);
  expect_sums_by_hand<2>(0, 1e-12);
  expect_sums_by_hand<3>(0, 1e-12);
  expect_sums_by_hand<2>(0.5, 0.05);
  expect_sums_by_hand<3>(0.5, 0.05);
}

// Three heaps far apart in 20 dimensions, and each point twice: neighbours in the plane belong to the same heap.
TEST(Tsne, KeepsHeapsApart) {
  Matrix points(20, 180);
  for (Index heap = 0; heap < 3; ++heap) {
    points.middleCols(60 * heap, 30) = normal_points(20, 30, heap + 1, 10 * static_cast<double>(heap));
    points.middleCols(60 * heap + 30, 30) = points.middleCols(60 * heap, 30);
  }
  QuietContext context;
  const auto embedded = tsne(points, {.perplexity = 10, .iterations = 400}, context);
  ASSERT_TRUE(embedded && embedded->allFinite());
  const NeighbourSearch search(*embedded);
  std::vector<Neighbour> nearest(180 * 5);
  search.nearest_others(0, 180, 5, nearest);
  for (Index k = 0; k < 180 * 5; ++k) EXPECT_EQ(nearest[k].point / 60, k / 5 / 60);
}

TEST(Embedding, RefusesWhatItCannotDo) {
  QuietContext context;
  const auto refuse = [&](const Matrix& samples, const EmbeddingSpec& spec) {
    Dataset dataset = dataset_of({samples, samples});
    const Status status = embed_samples(dataset, spec, context);
    return status ? std::string() : status.error().messages.front();
  };
  const Matrix samples = normal_points(5, 10, 1);
  EXPECT_NE(refuse(samples, {.name = "tsne", .dimension = 4}).find("embed-dimension"), std::string::npos);
  EXPECT_NE(refuse(samples, {.name = "tsne", .perplexity = 20}).find("perplexity"), std::string::npos);
  EXPECT_NE(refuse(samples, {.name = "pca", .dimension = 6}).find("embed-dimension"), std::string::npos);
  EXPECT_NE(refuse(Matrix::Ones(5, 10), {.name = "pca"}).find("nothing to embed"), std::string::npos);
  EXPECT_EQ(refuse(samples, {.name = "pca"}), "");
}

}  // namespace
}  // namespace gtvmin
