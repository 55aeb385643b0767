#include "gtvmin/synthetic/synthetic_data.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>

#include "gtvmin/graph/generators/chain.h"
#include "gtvmin/graph/generators/geometric.h"
#include "gtvmin/graph/generators/sbm.h"
#include "gtvmin/graph/generators/scale_free.h"
#include "gtvmin/graph/generators/star.h"

namespace gtvmin {
namespace {

GeneratedGraph two_chains(NodeId a, NodeId b) { return *chain_graph(std::vector<NodeId>{a, b}, 0.3); }

Matrix two_truths() {
  Matrix truths(2, 2);
  truths << 2, -2, 2, 2;
  return truths;
}

void expect_usage_error(const GeneratedGraph& graph, const SyntheticParameters& parameters,
                        const std::string& parameter) {
  const auto result = make_synthetic_data(graph, parameters, 1);
  ASSERT_FALSE(result.ok()) << "a wrong " << parameter << " was accepted";
  EXPECT_EQ(result.error().kind, Error::Kind::kUsage);
  EXPECT_TRUE(result.error().messages.front().starts_with(parameter + ":")) << result.error().messages.front();
}

// FNV-1a over the bits of numbers.
class Fingerprint {
 public:
  void add(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    for (int shift = 0; shift < 64; shift += 8) hash_ = (hash_ ^ ((bits >> shift) & 0xff)) * 0x100000001b3ULL;
  }
  void add(const SyntheticData& data) {
    for (const auto& e : data.dataset.edges) {
      add(e.a);
      add(e.b);
      add(e.weight);
    }
    for (const double x : data.dataset.features.reshaped()) add(x);
    for (const double y : data.dataset.labels) add(y);
    for (const double w : data.truth.reshaped()) add(w);
    for (const NodeId c : data.clusters.group_of) add(c);
  }
  [[nodiscard]] std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

TEST(SyntheticData, HasTheBitsThatItsSeedHasAlwaysHad) {
  Fingerprint all;
  const SyntheticParameters linear{
      .dimension = 3, .min_samples = 1, .max_samples = 4, .noise = 0.1, .accessible = 0.7, .perturbation = 0.01};
  all.add(*make_synthetic_data(*sbm_graph({.sizes = {20, 15}, .p_in = 0.4, .p_out = 0.05}, 1), linear, 1));
  Matrix covariance(2, 2);
  covariance << 2.54, 0.41, 0.41, 0.51;
  const SyntheticParameters logistic{
      .model = SyntheticModel::kLogistic, .noise = 0.5, .truth = TruthKind::kBernoulli, .covariances = {covariance}};
  all.add(*make_synthetic_data(*geometric_graph({.nodes = 40, .neighbours = 3, .clusters = 3}, 2), logistic, 2));
  const SyntheticParameters point{.model = SyntheticModel::kPoint, .noise = 0.3, .noise_per = NoisePer::kNode};
  all.add(*make_synthetic_data(*scale_free_graph({.nodes = 30, .attachments = 2, .clusters = 2}, 3), point, 3));
  EXPECT_EQ(all.value(), 242969890723420491ULL);
}

TEST(SyntheticData, FirstNumbersOfASeedAreThoseOfAnIndependentImplementation) {
  const auto data = *make_synthetic_data(two_chains(2, 2), {.noise = 0.5}, 42);
  EXPECT_EQ(data.truth(0, 0), 0x1.075ee335327cap+0);
  EXPECT_EQ(data.truth(1, 0), -0x1.51ca272e939a3p-2);
  EXPECT_EQ(data.dataset.features(0, 0), -0x1.e28a344ba3a4ep-1);
  EXPECT_EQ(data.dataset.features(1, 0), 0x1.199ccc5d7d297p-3);
  EXPECT_EQ(data.dataset.labels[0], -0x1.672450080bc00p-2);
}

TEST(SyntheticData, TruthIsConstantOnClustersAndLabelsFollowIt) {
  const auto data =
      *make_synthetic_data(two_chains(3, 4), {.truth = TruthKind::kGiven, .truth_values = two_truths()}, 5);
  for (NodeId i = 0; i < 7; ++i) {
    EXPECT_EQ(data.truth.col(i), two_truths().col(i < 3 ? 0 : 1));
    for (Index r = data.dataset.first_sample[i]; r < data.dataset.first_sample[i + 1]; ++r) {
      EXPECT_NEAR(data.dataset.labels[r], data.truth.col(i).dot(data.dataset.features.col(r)), 1e-14);
    }
  }
}

TEST(SyntheticData, BernoulliTruthsAreZeroOrOneHalfEquallyOften) {
  const auto data = *make_synthetic_data(two_chains(1, 1), {.dimension = 2000, .truth = TruthKind::kBernoulli}, 5);
  EXPECT_TRUE((data.truth.array() * (data.truth.array() - 0.5) == 0).all());
  EXPECT_NEAR(data.truth.sum() / 0.5, 2000, 5 * std::sqrt(4000 / 4.0));
  EXPECT_NE(data.truth.col(0), data.truth.col(1));
}

TEST(SyntheticData, GaussianTruthsOfAStarDifferFromNodeToNode) {
  const auto data = *make_synthetic_data(*star_graph(2000), {}, 5);
  EXPECT_NEAR(data.truth.mean(), 0, 5 / std::sqrt(4000));
  EXPECT_NEAR(data.truth.cwiseAbs2().mean(), 1, 5 * std::sqrt(2.0 / 4000));
}

TEST(SyntheticData, PerturbationsHaveTheirScaleOverTheNormOfTheTruth) {
  // ‖(2, 2)‖ = ‖(−2, 2)‖ = √8, so each coordinate deviates by 0.1/√8 on average: a variance of 0.01/8.
  const auto data = *make_synthetic_data(
      two_chains(2000, 2000), {.truth = TruthKind::kGiven, .truth_values = two_truths(), .perturbation = 0.1}, 5);
  double sum = 0;
  for (NodeId i = 0; i < 4000; ++i) sum += (data.truth.col(i) - two_truths().col(i < 2000 ? 0 : 1)).squaredNorm();
  EXPECT_NEAR(sum / 8000, 0.01 / 8, 5 * 0.01 / 8 * std::sqrt(2.0 / 8000));
}

TEST(SyntheticData, KeepsSamplesOfTheAccessibleShareOfNodes) {
  const auto with_samples = [](NodeId nodes, double accessible) {
    const auto data = *make_synthetic_data(*star_graph(nodes), {.accessible = accessible}, 9);
    NodeId count = 0;
    for (NodeId i = 0; i < nodes; ++i) count += data.dataset.samples_of(i) > 0 ? 1 : 0;
    return count;
  };
  EXPECT_EQ(with_samples(200, 0.6), 120);
  EXPECT_EQ(with_samples(100, 0.07), 7);  // 0.07·100 > 7 in floating point
  EXPECT_EQ(with_samples(10, 0.21), 3);
  EXPECT_EQ(with_samples(10, 1e-12), 1);
}

TEST(SyntheticData, SampleCountsFillTheirRangeEvenly) {
  const auto data = *make_synthetic_data(*star_graph(3000), {.min_samples = 2, .max_samples = 4}, 9);
  std::array<double, 6> seen{};
  for (NodeId i = 0; i < 3000; ++i) ++seen.at(data.dataset.samples_of(i));
  EXPECT_EQ(seen[2] + seen[3] + seen[4], 3000);
  for (const Index count : {2, 3, 4}) EXPECT_NEAR(seen.at(count), 1000, 5 * std::sqrt(3000 * 2.0 / 9));
}

TEST(SyntheticData, FeaturesHaveTheCovarianceOfTheirCluster) {
  Matrix first(2, 2);
  first << 2.54, 0.41, 0.41, 0.51;
  Matrix second(2, 2);
  second << 2.21, -0.81, -0.81, 0.97;
  const auto data = *make_synthetic_data(
      two_chains(1, 1), {.min_samples = 40'000, .max_samples = 40'000, .covariances = {first, second}}, 4);
  const auto sample_covariance = [&](Index from) -> Matrix {
    const auto x = data.dataset.features.middleCols(from, 40'000);
    return x * x.transpose() / 40'000;
  };
  EXPECT_LT((sample_covariance(0) - first).cwiseAbs().maxCoeff(), 5 * 2.54 * std::sqrt(2.0 / 40'000));
  EXPECT_LT((sample_covariance(40'000) - second).cwiseAbs().maxCoeff(), 5 * 2.21 * std::sqrt(2.0 / 40'000));
}

TEST(SyntheticData, ASingularCovarianceKeepsFeaturesInItsRange) {
  const Vector direction = Vector::LinSpaced(3, 1, 3) / 7;
  const Matrix rank_one = direction * direction.transpose();
  const auto data = *make_synthetic_data(two_chains(5, 5), {.dimension = 3, .covariances = {rank_one}}, 4);
  const Matrix& x = data.dataset.features;
  EXPECT_GT(x.row(0).norm(), 0);
  EXPECT_LT((x.row(1) - 2 * x.row(0)).norm(), 1e-6);
  EXPECT_LT((x.row(2) - 3 * x.row(0)).norm(), 1e-6);
}

TEST(SyntheticData, NoiseHasItsStrengthAndChangesNothingElse) {
  const auto graph = two_chains(1000, 1000);
  const auto silent = *make_synthetic_data(graph, {}, 6);
  const auto noisy = *make_synthetic_data(graph, {.noise = 0.2}, 6);
  EXPECT_EQ(silent.truth, noisy.truth);
  EXPECT_EQ(silent.dataset.features, noisy.dataset.features);
  const Vector noise = noisy.dataset.labels - silent.dataset.labels;
  EXPECT_NEAR(noise.squaredNorm() / 10'000, 0.04, 5 * 0.04 * std::sqrt(2.0 / 10'000));
  // Noise of neighbouring samples is uncorrelated; shared by a node, it is the same.
  EXPECT_NEAR(noise.head(9'999).dot(noise.tail(9'999)) / 9'999, 0, 5 * 0.04 / 100);
  const auto shared = *make_synthetic_data(graph, {.noise = 0.2, .noise_per = NoisePer::kNode}, 6);
  const Vector common = shared.dataset.labels - silent.dataset.labels;
  EXPECT_NEAR(common[0], common[4], 1e-15);
  EXPECT_GT(std::abs(common[4] - common[5]), 1e-6);
}

TEST(SyntheticData, AccessDoesNotChangeTheSamplesThatRemain) {
  const auto graph = two_chains(10, 10);
  const auto all = *make_synthetic_data(graph, {.min_samples = 1}, 6);
  const auto some = *make_synthetic_data(graph, {.min_samples = 1, .accessible = 0.5}, 6);
  Index compared = 0;
  for (NodeId i = 0; i < 20; ++i) {
    if (some.dataset.samples_of(i) == 0) continue;
    ASSERT_EQ(some.dataset.samples_of(i), all.dataset.samples_of(i));
    compared += some.dataset.samples_of(i);
    EXPECT_EQ(some.dataset.features.middleCols(some.dataset.first_sample[i], some.dataset.samples_of(i)),
              all.dataset.features.middleCols(all.dataset.first_sample[i], all.dataset.samples_of(i)));
  }
  EXPECT_GE(compared, 10);
}

TEST(SyntheticData, LogisticLabelsAreOneAsOftenAsTheModelSays) {
  Matrix truth(1, 1);
  truth << 1.5;
  const auto data = *make_synthetic_data(*star_graph(1),
                                         {.model = SyntheticModel::kLogistic,
                                          .dimension = 1,
                                          .min_samples = 50'000,
                                          .max_samples = 50'000,
                                          .truth = TruthKind::kGiven,
                                          .truth_values = truth},
                                         8);
  double ones_above = 0;
  double expected_above = 0;
  double variance = 0;
  for (Index r = 0; r < 50'000; ++r) {
    const double y = data.dataset.labels[r];
    ASSERT_TRUE(y == 0 || y == 1);
    const double x = data.dataset.features(0, r);
    if (x <= 0.5) continue;
    const double p = 1 / (1 + std::exp(-1.5 * x));
    ones_above += y;
    expected_above += p;
    variance += p * (1 - p);
  }
  EXPECT_NEAR(ones_above, expected_above, 5 * std::sqrt(variance));
}

TEST(SyntheticData, PointsScatterAroundTheTruth) {
  const auto data = *make_synthetic_data(two_chains(2000, 2000),
                                         {.model = SyntheticModel::kPoint,
                                          .min_samples = 1,
                                          .max_samples = 1,
                                          .noise = 0.3,
                                          .truth = TruthKind::kGiven,
                                          .truth_values = two_truths()},
                                         8);
  EXPECT_EQ(data.dataset.labels.size(), 0);
  EXPECT_NEAR((data.dataset.features - data.truth).squaredNorm() / 8000, 0.09, 5 * 0.09 * std::sqrt(2.0 / 8000));
}

TEST(SyntheticData, RefusesParametersThatMakeNoSense) {
  const auto graph = two_chains(3, 3);
  expect_usage_error(graph, {.dimension = 0}, "dimension");
  expect_usage_error(graph, {.min_samples = 0}, "samples");
  expect_usage_error(graph, {.min_samples = 6}, "max-samples");
  expect_usage_error(graph, {.noise = -1}, "noise");
  expect_usage_error(graph, {.accessible = 0}, "accessible");
  expect_usage_error(graph, {.accessible = 1.5}, "accessible");
  expect_usage_error(graph, {.perturbation = -1}, "perturbation");
  expect_usage_error(graph, {.truth = TruthKind::kGiven, .truth_values = Matrix::Ones(2, 3)}, "truth-values");
  expect_usage_error(graph, {.truth = TruthKind::kGiven, .truth_values = Matrix::Ones(3, 2)}, "truth-values");
  expect_usage_error(graph, {.truth = TruthKind::kGiven, .truth_values = Matrix::Zero(2, 2), .perturbation = 1},
                     "perturbation");
}

TEST(SyntheticData, RefusesWhatIsNoCovariance) {
  const auto graph = two_chains(3, 3);
  const Matrix identity = Matrix::Identity(2, 2);
  Matrix lopsided = identity;
  lopsided(0, 1) = 0.5;
  Matrix indefinite = identity;
  indefinite(0, 1) = indefinite(1, 0) = 1.01;
  Matrix hollow(2, 2);
  hollow << 0, 0.5, 0.5, 1;
  for (const Matrix& wrong : {lopsided, indefinite, hollow, Matrix(-identity), Matrix(Matrix::Identity(3, 3))}) {
    expect_usage_error(graph, {.covariances = {wrong}}, "covariance");
  }
  expect_usage_error(graph, {.covariances = {identity, identity, identity}}, "covariance");
}

}  // namespace
}  // namespace gtvmin
