#include <gtest/gtest.h>

#include "gtvmin/similarity/embedding/tsne.h"
#include "gtvmin/similarity/select_edges.h"
#include "gtvmin/similarity/similarity.h"
#include "similarity/similarity_fixtures.h"

namespace gtvmin {
namespace {

Dataset labelled_nodes() {
  std::vector<Matrix> nodes;
  for (std::uint64_t seed = 0; seed < 30; ++seed) nodes.push_back(normal_points(2, 8 + seed % 3, seed));
  Dataset dataset = dataset_of(nodes);
  dataset.labels = normal_points(1, dataset.samples(), 99).transpose();
  return dataset;
}

std::vector<NodePair> edges_by(const Dataset& dataset, const std::string& method, int threads) {
  QuietContext context(threads);
  const auto distances = node_distances(dataset, {.method = method}, context);
  return select_edges(*distances, {.neighbours = 3, .connect = true}, context)->pairs;
}

TEST(SimilarityThreads, GiveTheSameEdgesForEveryNumber) {
  const Dataset dataset = labelled_nodes();
  for (const SimilarityMethod& method : similarity_methods()) {
    const auto one = edges_by(dataset, method.name, 1);
    for (const int threads : {2, 3}) {
      const auto many = edges_by(dataset, method.name, threads);
      ASSERT_EQ(many.size(), one.size()) << method.name;
      for (std::size_t k = 0; k < one.size(); ++k) {
        EXPECT_EQ(many[k].a, one[k].a);
        EXPECT_EQ(many[k].b, one[k].b);
        EXPECT_EQ(many[k].distance, one[k].distance);
      }
    }
  }
}

TEST(SimilarityThreads, GiveTheSameEmbeddingForEveryNumberAndSeed) {
  const Matrix points = normal_points(12, 300, 1);
  const auto embed = [&](int threads, std::uint64_t seed) {
    QuietContext context(threads);
    return *tsne(points, {.perplexity = 10, .iterations = 40, .seed = seed}, context);
  };
  const Matrix one = embed(1, 1);
  EXPECT_EQ(embed(3, 1), one);
  EXPECT_NE(embed(1, 2), one);
}

TEST(SimilarityThreads, FindTheSameBallFromEveryNumber) {
  const auto distances = NodeDistances::between_points(normal_points(2, 500, 3));
  QuietContext one(1);
  QuietContext three(3);
  const EdgeRule rule{.join = EdgeRule::Join::kBall, .epsilon = 0.2};
  EXPECT_EQ(select_edges(distances, rule, one)->pairs.size(), select_edges(distances, rule, three)->pairs.size());
}

}  // namespace
}  // namespace gtvmin
