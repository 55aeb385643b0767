#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "clients.h"
#include "federation.h"

namespace gtvmin {
namespace {

using ::testing::HasSubstr;

TEST(Fedavg, WithOneFullEpochIsGradientDescentOnTheWeightedAverage) {
  const SyntheticData data = two_clusters(1, 1, 9);
  const Federation federation(data.dataset, {.name = "linear", .ridge = 0.01});
  const BaselineOptions options{.rounds = 7, .local_epochs = 1, .learning_rate = 0.01};
  Vector w = Vector::Zero(20);
  for (int round = 0; round < 7; ++round) {
    Vector slope = Vector::Zero(20);
    for (NodeId i = 0; i < 40; ++i) {
      Vector g(20);
      federation.problem().loss(i).gradient(w, g);
      slope += static_cast<double>(data.dataset.samples_of(i)) * g;
    }
    w -= 0.01 * slope / static_cast<double>(data.dataset.samples());
  }
  const BaselineResult result = federation.run("fedavg", options);
  EXPECT_EQ(result.rounds, 7);
  EXPECT_EQ(result.clusters.groups, 1);
  EXPECT_LT((result.w.colwise() - w).norm(), 1e-12 * w.norm());
}

TEST(Fedavg, WithOneFullEpochReachesThePooledMinimiser) {
  const SyntheticData data = two_clusters(1, 10, 10);
  const Federation federation(data.dataset, {.name = "linear"});
  const BaselineOptions options{.rounds = 3000, .tolerance = 1e-14, .local_epochs = 1, .learning_rate = 0.05};
  const Matrix pooled = federation.run("pooled", {}).w;
  EXPECT_LT((federation.run("fedavg", options).w - pooled).norm(), 1e-10 * pooled.norm());
}

// f_i = (h_i/2)(w − a_i)². E steps of length η bring a client from w to a_i + c_i(w − a_i), c_i = (1 − ηh_i)^E. A fixed
// point of the average has Σ p_i (1 − c_i)(a_i − w) = 0, so w = Σ p_i(1 − c_i)a_i / Σ p_i(1 − c_i), not the minimum
// Σ p_i h_i a_i / Σ p_i h_i unless E = 1 or the h_i are equal.
// Samples: x = 1, y = 3 gives h = 2, a = 3; x = 2, y = 2 gives h = 8, a = 1.
TEST(Fedavg, WithManyLocalEpochsEndsAtTheFixedPointOfTheRounds) {
  const Federation federation(one_dimensional({{{1, 3}}, {{2, 2}}}), {.name = "linear"});
  const BaselineOptions options{.rounds = 500, .tolerance = 0, .local_epochs = 4, .learning_rate = 0.1};
  const double c1 = std::pow(1 - 0.1 * 2, 4);
  const double c2 = std::pow(1 - 0.1 * 8, 4);
  const double expected = ((1 - c1) * 3 + (1 - c2) * 1) / (2 - c1 - c2);
  const Matrix w = federation.run("fedavg", options).w;
  EXPECT_NEAR(w(0, 0), expected, 1e-13);
  EXPECT_EQ(w(0, 0), w(0, 1));
  EXPECT_GT(std::abs(expected - (2 * 3 + 8 * 1) / 10.0), 0.1);
}

// One sample at 0, three at 4, all with the loss (w − y)²: mean 3 over samples, 2 over nodes.
TEST(Fedavg, CountsSamplesOrNodesAsTold) {
  const Dataset dataset = one_dimensional({{{1, 0}}, {{1, 4}, {1, 4}, {1, 4}}});
  BaselineOptions options{.rounds = 200, .local_epochs = 3, .learning_rate = 0.2};
  for (const bool mean : {true, false}) {
    const Federation federation(dataset, {.name = "linear", .mean = mean});
    options.weighting = Weighting::kSamples;
    EXPECT_NEAR(federation.run("fedavg", options).w(0, 0), 3, 1e-7) << (mean ? "mean" : "sum");
    options.weighting = Weighting::kNodes;
    EXPECT_NEAR(federation.run("fedavg", options).w(0, 0), 2, 1e-7) << (mean ? "mean" : "sum");
  }
}

TEST(Fedavg, MinimisesTheSumOfLossesThatAddUpSamplesAndHaveRidge) {
  const SyntheticData data = two_clusters(1, 5, 30);
  const Federation federation(data.dataset, {.name = "linear", .mean = false, .ridge = 0.5});
  const BaselineOptions options{.rounds = 3000, .tolerance = 1e-14, .local_epochs = 1, .learning_rate = 0.05};
  const Matrix pooled = federation.run("pooled", {}).w;
  EXPECT_LT((federation.run("fedavg", options).w - pooled).norm(), 1e-10 * pooled.norm());
}

// Node i sees coordinate i alone: after a round the coordinates that are not 0 tell who took part.
TEST(Fedavg, DrawsTheShareOfClientsThatIsAskedForAndOthersInEveryRound) {
  Dataset dataset;
  for (int i = 0; i < 11; ++i) {
    dataset.feature_names.push_back(fmt::format("x{}", i));
    dataset.node_names.push_back(std::to_string(i));
  }
  dataset.first_sample = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10};  // the last has no samples
  dataset.features = Matrix::Identity(11, 10);
  dataset.labels = Vector::Ones(10);
  dataset.edges = {{0, 1, 1}};
  const Federation federation(dataset, {.name = "linear"});
  const auto participants = [&](double share, std::uint64_t seed) {
    const BaselineOptions options{
        .rounds = 1, .local_epochs = 1, .learning_rate = 0.1, .participation = share, .seed = seed};
    return Vector((federation.run("fedavg", options).w.col(0).array() != 0).cast<double>());
  };
  EXPECT_EQ(participants(0.25, 1).sum(), 3);
  EXPECT_EQ(participants(0.3, 1).sum(), 3);  // 0.3 · 10 is no more than 3
  EXPECT_EQ(participants(0.01, 1).sum(), 1);
  EXPECT_EQ(participants(1, 1).sum(), 10);
  EXPECT_NE(participants(0.5, 1), participants(0.5, 2));

  const BaselineOptions options{.learning_rate = 0.1, .participation = 0.3};
  const BaselineInput input = federation.input();
  const Clients clients(input, options);
  std::set<NodeId> seen;
  for (std::int64_t round = 0; round < 60; ++round) {
    for (const NodeId i : clients.draw(clients.clients(), round, 0)) seen.insert(i);
  }
  EXPECT_EQ(seen.size(), 10U);
}

TEST(Fedavg, BatchesOfAPassAddUpToTheGradientOfAllSamples) {
  const SyntheticData data = two_clusters(1, 12, 12);
  const BaselineOptions options{.local_epochs = 2, .batch_size = 4, .learning_rate = 0.1};
  const Vector w = Vector::LinSpaced(20, -1, 1);
  for (const bool mean : {true, false}) {
    const Federation federation(data.dataset, {.name = "linear", .mean = mean, .ridge = 0.3});
    const BaselineInput input = federation.input();
    const Clients clients(input, options);
    Vector whole(20);
    clients.loss(5).gradient(w, whole);
    std::vector<Vector> steps;
    clients.for_each_batch(5, 0, [&](const ClientLoss& batch) {
      Vector g(20);
      batch.gradient(w, g);
      steps.push_back(g);
    });
    ASSERT_EQ(steps.size(), 6U);
    EXPECT_LT(((steps[0] + steps[1] + steps[2]) / 3 - whole).norm(), 1e-12 * whole.norm());
    EXPECT_LT(((steps[3] + steps[4] + steps[5]) / 3 - whole).norm(), 1e-12 * whole.norm());
    EXPECT_GT((steps[0] - steps[3]).norm(), 1e-3 * whole.norm()) << "the second pass is shuffled anew";
  }
}

TEST(Fedavg, TrainsTheSameInBatchesWhetherTheModelAveragesOrAddsUp) {
  const SyntheticData data = two_clusters(1, 3, 9);
  const BaselineOptions options{.rounds = 20, .batch_size = 2, .learning_rate = 0.01, .participation = 0.5};
  const Matrix mean = Federation(data.dataset, {.name = "linear"}).run("fedavg", options).w;
  const Matrix sum = Federation(data.dataset, {.name = "linear", .mean = false}).run("fedavg", options).w;
  EXPECT_LT((mean - sum).norm(), 1e-10 * mean.norm());
}

TEST(FedavgPerCluster, IsFedavgOnTheNodesOfEveryCluster) {
  const auto samples = std::vector<std::vector<Sample>>{{{1, 3}}, {{2, 2}}, {{1, -1}, {3, 1}}, {{1, 5}}, {}};
  const Partition clusters{.group_of = {0, 1, 0, 1, 1}, .groups = 2};
  const BaselineOptions options{.rounds = 30, .tolerance = 0, .local_epochs = 3, .learning_rate = 0.05};
  const Matrix w =
      Federation(one_dimensional(samples), {.name = "linear"}, clusters).run("fedavg-per-cluster", options).w;
  const Federation first(one_dimensional({samples[0], samples[2]}), {.name = "linear"});
  const Federation second(one_dimensional({samples[1], samples[3]}), {.name = "linear"});
  EXPECT_EQ(w(0, 0), first.run("fedavg", options).w(0, 0));
  EXPECT_EQ(w(0, 2), w(0, 0));
  EXPECT_EQ(w(0, 1), second.run("fedavg", options).w(0, 0));
  EXPECT_EQ(w(0, 4), w(0, 1)) << "a node without samples has the model of its cluster";
}

TEST(FedavgPerCluster, NeedsTheClusters) {
  const Federation federation(one_dimensional({{{1, 3}}, {{2, 2}}}), {.name = "linear"});
  EXPECT_THAT(federation.refusal("fedavg-per-cluster", {}), HasSubstr("clusters"));
}

// L_i = ‖w − e_i‖² from w = 0: one step of length η brings node i to 2ηe_i, so that the first round ends with 2ηW.
TEST(Dfedavgm, MixesByMetropolisWeightsWhichAreDoublyStochastic) {
  constexpr NodeId kNodes = 6;
  Dataset dataset;
  dataset.first_sample = {0};
  for (NodeId i = 0; i < kNodes; ++i) {
    dataset.node_names.push_back(std::to_string(i));
    dataset.feature_names.push_back(fmt::format("x{}", i));
    dataset.first_sample.push_back(i + 1);
  }
  dataset.features = Matrix::Identity(kNodes, kNodes);
  dataset.edges = {{0, 1, 2}, {0, 2, 0.1}, {0, 3, 1}, {2, 3, 1}, {3, 4, 5}};  // node 5 is alone
  const Federation federation(dataset, {.name = "point"});
  const BaselineOptions options{.rounds = 1, .local_epochs = 1, .learning_rate = 0.25};
  const Matrix mixing = federation.run("dfedavgm", options).w / 0.5;
  EXPECT_LT((mixing - mixing.transpose()).norm(), 1e-15);
  EXPECT_LT((mixing.rowwise().sum() - Vector::Ones(kNodes)).norm(), 1e-14);
  EXPECT_GE(mixing.minCoeff(), 0);
  EXPECT_NEAR(mixing(0, 1), 1 / 4.0, 1e-15);  // degrees 3 and 1
  EXPECT_NEAR(mixing(2, 3), 1 / 4.0, 1e-15);  // degrees 2 and 3
  EXPECT_EQ(mixing(1, 2), 0);
  EXPECT_EQ(mixing(5, 5), 1);
}

// With h_i all equal to h a client's local steps are linear with one and the same matrix, and W keeps the average. So
// the average of the copies takes the heavy-ball steps of the average loss: y⁺ = y − ηh(y − ā) + θ(y − y⁻).
TEST(Dfedavgm, MovesTheAverageByHeavyBallStepsThatBeginAnewInEveryRound) {
  const Federation federation(one_dimensional({{{1, 1}}, {{1, 4}}, {{1, -2}}, {{1, 7}}}), {.name = "linear"});
  const BaselineOptions options{.rounds = 4, .tolerance = 0, .local_epochs = 3, .learning_rate = 0.05, .momentum = 0.8};
  double average = 0;
  for (int round = 0; round < 4; ++round) {
    double before = average;
    for (int step = 0; step < 3; ++step) {
      const double next = average - 0.05 * 2 * (average - 2.5) + 0.8 * (average - before);
      before = average;
      average = next;
    }
  }
  const BaselineResult result = federation.run("dfedavgm", options);
  EXPECT_NEAR(result.w.mean(), average, 1e-13);
  EXPECT_GT(result.w.maxCoeff() - result.w.minCoeff(), 0.1) << "the path mixes slowly";
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_THAT(result.notes[0], HasSubstr("differ by"));
}

TEST(Dfedavgm, AgreesOnTheMinimumWhereAllLossesHaveItInCommon) {
  const Federation federation(one_dimensional({{{1, 2}}, {}, {{2, 4}}, {{3, 6}}}), {.name = "linear"});
  const BaselineOptions options{.rounds = 2000, .tolerance = 0, .learning_rate = 0.02, .momentum = 0.5};
  const Matrix w = federation.run("dfedavgm", options).w;
  EXPECT_LT((w.array() - 2).abs().maxCoeff(), 1e-12) << "node 1 passes on what it hears";
}

}  // namespace
}  // namespace gtvmin
