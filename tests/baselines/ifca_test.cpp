#include "ifca.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "federation.h"
#include "gtvmin/evaluate/parameter_error.h"
#include "random_models.h"

namespace gtvmin {
namespace {

using ::testing::HasSubstr;

Matrix row(std::initializer_list<double> values) {
  Matrix matrix(1, static_cast<Index>(values.size()));
  std::copy(values.begin(), values.end(), matrix.data());
  return matrix;
}

class IfcaAveraging : public ::testing::TestWithParam<Averaging> {};

TEST_P(IfcaAveraging, FindsBothClustersFromRandomStarts) {
  const SyntheticData data = two_clusters(0.9, 6, 10);
  const Federation federation(data.dataset, {.name = "linear"});
  const BaselineResult result =
      federation.run("ifca", {.models = 2, .averaging = GetParam(), .restarts = 5, .seed = 4});
  Matrix learnt(20, 0);
  Matrix truth(20, 0);
  for (NodeId i = 0; i < 40; ++i) {
    if (data.dataset.samples_of(i) == 0) continue;
    learnt.conservativeResize(20, learnt.cols() + 1);
    truth.conservativeResize(20, truth.cols() + 1);
    learnt.rightCols(1) = result.w.col(i);
    truth.rightCols(1) = data.truth.col(i);
  }
  EXPECT_LT(parameter_error(learnt, truth).mse, 1e-5);
  EXPECT_EQ(result.clusters.groups, 2);
  EXPECT_THAT(result.notes.at(0), HasSubstr("of 5 is kept"));
}

constexpr Averaging kAllAveragings[] = {Averaging::kModel, Averaging::kGradient, Averaging::kMemberGradient};

TEST_P(IfcaAveraging, SaysWhatItUsed) {
  const Federation federation(one_dimensional({{{1, 2}}, {{1, 4}}}), {.name = "linear"});
  const BaselineResult result =
      federation.run("ifca", {.rounds = 2, .learning_rate = 0.1, .models = 2, .averaging = GetParam()});
  EXPECT_EQ(result.options.local_epochs, GetParam() == Averaging::kModel ? 5 : 1);
}

INSTANTIATE_TEST_SUITE_P(Ifca, IfcaAveraging, ::testing::ValuesIn(kAllAveragings), [](const auto& kind) {
  if (kind.param == Averaging::kModel) return "Models";
  return kind.param == Averaging::kGradient ? "Gradients" : "GradientsOfMembers";
});

// Nodes at 2, 2, 4, 4 with the loss (w − a)². From equal models all take the first and pull it to 3, which suits each
// better than the second, still at 0: a client at 2 has loss 1 there and 4 at 0.
TEST(Ifca, StaysAtThePooledMinimiserIfAllModelsStartEqual) {
  const Federation federation(one_dimensional({{{1, 2}}, {{1, 2}}, {{1, 4}}, {{1, 4}}}), {.name = "linear"});
  for (const Averaging averaging : kAllAveragings) {
    const BaselineOptions options{.learning_rate = 0.1, .averaging = averaging};
    const BaselineInput input = federation.input();
    Clients clients(input, options);
    Ifca ifca(clients, Matrix::Zero(1, 2));
    for (std::int64_t round = 0; round < 300; ++round) ifca.round(round);
    EXPECT_LT((ifca.w().array() - 3).abs().maxCoeff(), 1e-12);
    EXPECT_NEAR(ifca.training_loss(), 1, 1e-12);

    Ifca apart(clients, row({1, 5}));
    for (std::int64_t round = 0; round < 300; ++round) apart.round(round);
    EXPECT_LT((apart.w() - row({2, 2, 4, 4})).norm(), 1e-12);
    EXPECT_LT(apart.training_loss(), 1e-20);
  }
}

// Clients (a, m) = (2, 1), (4, 3) and (−5, 2), loss (w − a)², models at 0 and 10 and −4. Losses: client 0: 4, 64, 36;
// client 1: 16, 36, 64; client 2: 25, 225, 1. So clients 0 and 1 take model 0, client 2 model 2, none model 1.
// Gradients there are −4, −8 and 2(−4 + 5) = 2; weighted by samples and added up −4 − 3·8 = −28 and 2·2 = 4. With η =
// 0.1, divided by all 6 samples, the models become 2.8/6, 10, −4 − 0.4/6; divided by the 4 and the 2 samples of the
// members, 0.7, 10, −4.2. Training for 2 passes: a + 0.8²(w − a), i.e. 0.72 and 1.44, average 0.25·0.72 + 0.75·1.44 =
// 1.26, and −5 + 0.64 = −4.36.
TEST(Ifca, TakesOneRoundAsDerivedByHand) {
  const Federation federation(one_dimensional({{{1, 2}}, {{1, 4}, {1, 4}, {1, 4}}, {{1, -5}, {1, -5}}, {}}),
                              {.name = "linear"});
  const BaselineInput input = federation.input();
  const auto after_a_round = [&](Averaging averaging) {
    const BaselineOptions options{.local_epochs = 2, .learning_rate = 0.1, .averaging = averaging};
    Clients clients(input, options);
    Ifca ifca(clients, row({0, 10, -4}));
    EXPECT_EQ(ifca.w(), row({0, 0, -4, 0})) << "the node without samples has the model that most clients take";
    EXPECT_NEAR(ifca.training_loss(), (4 + 3 * 16 + 2 * 1) / 6.0, 1e-14);
    ifca.round(0);
    return ifca.w();
  };
  const double large = 2.8 / 6;
  EXPECT_LT((after_a_round(Averaging::kGradient) - row({large, large, -4 - 0.4 / 6, large})).norm(), 1e-14);
  EXPECT_LT((after_a_round(Averaging::kMemberGradient) - row({0.7, 0.7, -4.2, 0.7})).norm(), 1e-14);
  EXPECT_LT((after_a_round(Averaging::kModel) - row({1.26, 1.26, -4.36, 1.26})).norm(), 1e-14);
}

// One of two clients takes part, drawn at random, each with a model of its own: both rules divide by that client, so
// the model of the other stays and its own takes the full step, whichever is drawn.
TEST(Ifca, DividesGradientsByWhoTakesPartAndNotByWhoStaysAway) {
  const Federation federation(one_dimensional({{{1, 0}}, {{1, 10}}}), {.name = "linear"});
  const BaselineInput input = federation.input();
  const BaselineOptions options{.learning_rate = 0.25, .participation = 0.5, .averaging = Averaging::kGradient};
  Clients clients(input, options);
  Ifca ifca(clients, row({1, 9}));
  ifca.round(0);
  EXPECT_TRUE(ifca.w() == row({0.5, 9}) || ifca.w() == row({1, 9.5})) << ifca.w();
}

// Gradients at 0 of (w − y)² are −2y: of one sample of the client −2, −6 or −10, of all −6 on average.
TEST(Ifca, TakesTheGradientsOfBatchesIfItIsTold) {
  const Federation federation(one_dimensional({{{1, 1}, {1, 3}, {1, 5}}}), {.name = "linear"});
  const BaselineInput input = federation.input();
  const BaselineOptions options{.batch_size = 1, .learning_rate = 0.5, .averaging = Averaging::kGradient};
  Clients clients(input, options);
  std::set<double> seen;
  for (std::int64_t round = 0; round < 30; ++round) {
    Ifca fresh(clients, row({0}));
    fresh.round(round);
    seen.insert(fresh.w()(0, 0));
  }
  EXPECT_EQ(seen, (std::set<double>{1, 3, 5}));
}

TEST(Ifca, RunsOneStartWhereAllWouldBeTheSame) {
  const Federation federation(one_dimensional({{{1, 2}, {1, 2}}, {{1, 4}, {1, 4}}}), {.name = "linear"});
  BaselineOptions options{
      .rounds = 5, .tolerance = 0, .learning_rate = 0.1, .models = 2, .start = ModelStart::kZero, .restarts = 3};
  const BaselineResult one = federation.run("ifca", options);
  EXPECT_EQ(one.rounds, 5);
  EXPECT_EQ(one.options.restarts, 1);
  EXPECT_THAT(one.notes, ::testing::Contains(HasSubstr("1 start in place of 3")));
  options.participation = 0.5;
  EXPECT_EQ(federation.run("ifca", options).rounds, 15) << "other nodes take part in every start";
  options.participation = 1;
  options.batch_size = 1;
  EXPECT_EQ(federation.run("ifca", options).rounds, 15) << "other batches are drawn";
}

TEST(Ifca, KeepsAModelThatNobodyTakesForThoseWhoMayComeBack) {
  // Client 1 has its minimum at 8, but model 0 suits it better at first: (8 − 6)² < (8 − 11)². Client 0, at 0, pulls
  // model 0 down to 4 with it, and then the model at 11, untouched, is the better one.
  const Federation federation(one_dimensional({{{1, 0}}, {{1, 8}}}), {.name = "linear"});
  const BaselineInput input = federation.input();
  const BaselineOptions options{.local_epochs = 1, .learning_rate = 0.5};
  Clients clients(input, options);
  Ifca ifca(clients, row({6, 11}));
  EXPECT_EQ(ifca.w(), row({6, 6}));
  ifca.round(0);
  EXPECT_EQ(ifca.w(), row({4, 11}));
}

TEST(Ifca, IsToldHowManyModelsThereAreOrTakesTheNumberOfTrueClusters) {
  const Dataset dataset = one_dimensional({{{1, 2}}, {{1, 4}}, {{1, 9}}});
  const Federation untold(dataset, {.name = "linear"});
  EXPECT_THAT(untold.refusal("ifca", {.learning_rate = 0.1}), HasSubstr("models = 0"));
  EXPECT_THAT(untold.refusal("ifca", {.learning_rate = 0.1, .models = -1}), HasSubstr("models = -1"));
  const Federation told(dataset, {.name = "linear"}, {.group_of = {0, 1, 2}, .groups = 3});
  EXPECT_EQ(told.run("ifca", {.learning_rate = 0.1}).options.models, 3);
  EXPECT_EQ(told.run("ifca", {.learning_rate = 0.1, .models = 2}).options.models, 2);
}

TEST(Ifca, KeepsTheStartWithTheLeastTrainingLossAndRecordsAllRounds) {
  const Federation federation(one_dimensional({{{1, -3}}, {{1, -3}}, {{1, 3}}, {{1, 3}}}), {.name = "linear"});
  const BaselineOptions options{.rounds = 50, .tolerance = 0, .learning_rate = 0.2, .models = 2, .restarts = 8};
  const BaselineResult result = federation.run("ifca", options);
  EXPECT_EQ(result.rounds, 8 * 50);
  EXPECT_EQ(result.trace.size(), 8 * 50 + 1U);
  EXPECT_NEAR(result.trace.back().loss, 0, 1e-20);
  double worst = 0;
  for (std::size_t start = 0; start < 8; ++start) worst = std::max(worst, result.trace[start * 50 + 49].loss);
  EXPECT_GT(worst, 1) << "a start that fails, or this tests nothing";
}

TEST(Ifca, EndsAllStartsWhenTheObserverSaysStop) {
  const Federation federation(one_dimensional({{{1, -3}}, {{1, 3}}}), {.name = "linear"});
  BaselineContext context;
  context.observe = [](const RoundRecord& record, const Matrix& /*w*/) { return record.round < 3; };
  const auto result = run_baseline(*find_baseline("ifca"), federation.input(),
                                   {.tolerance = 0, .learning_rate = 0.1, .models = 2}, context);
  EXPECT_TRUE(result->interrupted);
  EXPECT_EQ(result->rounds, 3);
}

TEST(RandomModels, AreAsFarFromTheStartAsTheClientsOwnMinimisersAre) {
  const SyntheticData data = two_clusters(1, 30, 30);
  const Federation federation(data.dataset, {.name = "linear"});
  const BaselineInput input = federation.input();
  const BaselineOptions options{.learning_rate = 0.1};
  Clients clients(input, options);
  const RandomModels random(clients, input.model);
  const Matrix models = random.draw(200, 0);
  const double size = std::sqrt(models.colwise().squaredNorm().mean());
  EXPECT_GT(size, 0.9 * data.truth.colwise().norm().minCoeff());
  EXPECT_LT(size, 1.1 * data.truth.colwise().norm().maxCoeff());
  EXPECT_NE(random.draw(1, 0), random.draw(1, 1));
  EXPECT_EQ(random.draw(200, 0), models);
}

TEST(RandomModels, CanBeZerosAndOnesOrAllAtTheStart) {
  const SyntheticData data = two_clusters(1, 30, 30);
  const Federation federation(data.dataset, {.name = "linear"});
  const BaselineInput input = federation.input();
  const BaselineOptions bits{.learning_rate = 0.1, .start = ModelStart::kBernoulli};
  Clients clients(input, bits);
  const Matrix models = RandomModels(clients, input.model).draw(50, 0);
  EXPECT_TRUE(((models.array() == 0) || (models.array() == 1)).all());
  EXPECT_NEAR(models.mean(), 0.5, 0.1);
  const BaselineOptions zero{.learning_rate = 0.1, .start = ModelStart::kZero};
  Clients equal(input, zero);
  EXPECT_TRUE(RandomModels(equal, input.model).draw(3, 1).isZero(0));
}

/// Σ_j (w_j² − 1)²/4, which starts at 1, 2, …, d.
class TwoValleys final : public LocalLoss {
 public:
  explicit TwoValleys(Index d) : d_(d) {}
  [[nodiscard]] Index dimension() const override { return d_; }
  [[nodiscard]] bool is_convex() const override { return false; }
  [[nodiscard]] double value(ConstVectorRef w) const override { return (w.array().square() - 1).square().sum() / 4; }
  void gradient(ConstVectorRef w, VectorRef g) const override { g = w.array() * (w.array().square() - 1); }
  void start(VectorRef w) const override { w = Vector::LinSpaced(d_, 1, static_cast<double>(d_)); }
  void prox(ConstVectorRef v, double /*rho*/, double /*tolerance*/, VectorRef z, VectorRef /*scratch*/) const override {
    z = v;
  }

 private:
  Index d_;
};

TEST(RandomModels, OfLossesThatAreNotConvexAreTheStartInAnotherOrder) {
  std::vector<LossPtr> losses;
  losses.push_back(std::make_unique<TwoValleys>(8));
  const Problem problem = *Problem::make(*EmpiricalGraph::make(1, {}), std::move(losses), L2Penalty{}, 0);
  const BaselineInput input{.problem = problem};
  const BaselineOptions options{.learning_rate = 0.1};
  Clients clients(input, options);
  Matrix models = RandomModels(clients, nullptr).draw(3, 0);
  EXPECT_NE(models.col(0), models.col(1));
  EXPECT_NE(models.col(1), models.col(2));
  for (auto model : models.colwise()) {
    std::sort(model.begin(), model.end());
    EXPECT_EQ(Vector(model), clients.start());
  }
}

}  // namespace
}  // namespace gtvmin
