#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <algorithm>

#include "baseline_fixtures.h"

namespace gtvmin {
namespace {

// Two nodes with L_i = (w − a_i)², A = 1, φ = ½(·)²: 2(w_1 − a_1) + λ(w_1 − w_2) = 0 and its mirror. The sum says
// w_1 + w_2 = a_1 + a_2, the difference (2 + 2λ)(w_1 − w_2) = 2(a_1 − a_2). With a = (0, 4), λ = 1: w = (1, 3).
TEST(Mocha, SolvesTwoNodesByHand) {
  std::vector<LossPtr> losses;
  for (const double at : {0.0, 4.0}) losses.push_back(QuadraticLoss::points(Matrix::Constant(1, 1, at), 1, 0));
  const Problem problem =
      *Problem::make(*EmpiricalGraph::make(2, {{0, 1, 1}}), std::move(losses), *make_penalty("l2"), 1);
  const BaselineResult result = run("mocha", {.problem = problem});
  EXPECT_NEAR(result.w(0, 0), 1, 1e-7);
  EXPECT_NEAR(result.w(0, 1), 3, 1e-7);
}

TEST(Mocha, IsOptimalForTheSquaredPenaltyWhateverThePenaltyOfTheProblem) {
  for (const std::string model : {"linear", "logistic", "point"}) {
    SCOPED_TRACE(model);
    const Problem given = random_problem(8, {.model = model, .penalty = "linf"});
    const BaselineResult result = run("mocha", {.problem = given});
    // Of a smooth objective the gradient is 0: ∇L_i(w_i) + Σ_j λA_ij (w_i − w_j).
    const Problem squared = random_problem(8, {.model = model, .penalty = "squared_l2"});
    Matrix flow = apply_incidence(squared.graph(), result.w);
    for (EdgeId e = 0; e < squared.edges(); ++e) flow.col(e) *= squared.kappa(e);
    EXPECT_LE(node_residuals(squared, result.w, flow).norm(), 1e-4 * loss_gradients(squared, 0 * result.w).norm());
    EXPECT_NEAR(result.trace.back().objective, objective(given, result.w), 1e-12);
    EXPECT_THAT(result.notes, ::testing::ElementsAre(::testing::HasSubstr("½‖·‖²")));
    EXPECT_THAT(run("mocha", {.problem = squared}).notes, ::testing::IsEmpty());
    ASSERT_TRUE(result.certificate);
    EXPECT_TRUE(is_bound(*result.certificate));
    EXPECT_LE(result.certificate->relative, 1e-9);
  }
}

TEST(Mocha, CertifiesWhatItHasAtTheLimitOfRounds) {
  const BaselineResult result = run("mocha", {.problem = random_problem(8, {.penalty = "squared_l2"})}, {.rounds = 1});
  EXPECT_THAT(result.notes, ::testing::ElementsAre(::testing::HasSubstr("limit of 1 rounds")));
  EXPECT_GT(result.certificate->relative, 1e-9);
}

BaselineOptions many_rounds() { return {.rounds = 20000, .tolerance = 1e-13}; }

TEST(MochaCocoa, FindsTheMinimiserOfMocha) {
  for (const double lambda : {0.03, 1.0}) {
    for (const ModelSpec& spec :
         {ModelSpec{.name = "linear", .ridge = 0.1}, ModelSpec{.name = "linear", .mean = false, .ridge = 0.1},
          ModelSpec{.name = "linear"}, ModelSpec{.name = "linear", .ridge = 0.1, .intercept = true}}) {
      SCOPED_TRACE(::testing::Message() << "λ " << lambda << ", mean " << spec.mean << ", ridge " << spec.ridge
                                        << ", intercept " << spec.intercept);
      const Given given(random_dataset(41, "linear", 8, 2, 6), spec, "l2", lambda);
      const Matrix expected = run("mocha", given.input(), many_rounds()).w;
      const BaselineResult result = run("mocha-cocoa", given.input(), many_rounds());
      EXPECT_LE((result.w - expected).norm(), 1e-6 * expected.norm());
      EXPECT_THAT(result.notes, ::testing::ElementsAre(::testing::StartsWith("arrived")));
    }
  }
}

/// One feature; every node has one sample x = 1 with the label given.
Given single_samples(const std::vector<double>& labels, double ridge, double lambda) {
  Dataset dataset;
  dataset.feature_names = {"x"};
  dataset.features = Matrix::Ones(1, static_cast<Index>(labels.size()));
  dataset.labels = Eigen::Map<const Vector>(labels.data(), static_cast<Index>(labels.size()));
  dataset.first_sample.push_back(0);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    dataset.node_names.push_back(fmt::format("{}", i));
    dataset.first_sample.push_back(static_cast<Index>(i + 1));
  }
  if (labels.size() == 2) dataset.edges = {{0, 1, 1}};
  return {std::move(dataset), {.name = "logistic", .ridge = ridge}, "l2", lambda};
}

// max(0, 1 − w) + rw² is least where 2rw = 1, if that is before the kink at 1, else at the kink.
TEST(MochaCocoa, TrainsOneSupportVectorMachineByHand) {
  EXPECT_NEAR(run("mocha-cocoa", single_samples({1}, 1, 0).input()).w(0, 0), 0.5, 1e-8);
  EXPECT_NEAR(run("mocha-cocoa", single_samples({1}, 0.25, 0).input()).w(0, 0), 1, 1e-8);
  EXPECT_NEAR(run("mocha-cocoa", single_samples({-1}, 1, 0).input()).w(0, 0), -0.5, 1e-8);
}

// max(0, 1 − w_1) + max(0, 1 + w_2) + λ/2 (w_1 − w_2)²: by symmetry w_1 = −w_2 = w with 2(1 − w) + 2λw² least, so
// w = 1/(2λ). There is no ridge, so that this needs proximal point steps.
TEST(MochaCocoa, TrainsTwoSupportVectorMachinesByHand) {
  const BaselineResult result = run("mocha-cocoa", single_samples({1, -1}, 0, 2).input(), {.rounds = 5000});
  EXPECT_NEAR(result.w(0, 0), 0.25, 1e-6);
  EXPECT_NEAR(result.w(0, 1), -0.25, 1e-6);
  EXPECT_THAT(result.notes, ::testing::Contains(::testing::HasSubstr("support vector machine")));
}

// The sum of hinges and ½λ Σ A‖·‖² + ridge‖·‖² is convex, so that a point which no small step improves is its minimum.
TEST(MochaCocoa, TrainsSupportVectorMachinesThatNoStepImproves) {
  const Given given(random_dataset(42, "logistic", 8, 3, 15), {.name = "logistic", .ridge = 0.02}, "squared_l2", 0.1);
  const Dataset& data = given.dataset();
  const auto value = [&](const Matrix& w) {
    double sum = 0.1 * total_variation(given.problem(), w) + 0.02 * w.squaredNorm();
    for (NodeId i = 0; i < data.nodes(); ++i) {
      for (Index r = data.first_sample[i]; r < data.first_sample[i + 1]; ++r) {
        const double margin = data.labels[r] * data.features.col(r).cwiseProduct(w.col(i)).sum();
        sum += std::max(0.0, 1 - margin) / static_cast<double>(data.samples_of(i));
      }
    }
    return sum;
  };
  const BaselineResult result = run("mocha-cocoa", given.input(), {.rounds = 50000, .tolerance = 1e-10});
  EXPECT_THAT(result.notes.front(), ::testing::StartsWith("arrived"));
  const double least = value(result.w);
  Rng rng(43);
  for (int k = 0; k < 3000; ++k) {
    const double size = k % 3 == 0 ? 0.3 : k % 3 == 1 ? 0.01 : 1e-4;
    EXPECT_GE(value(result.w + random_matrix(rng, 3, 8, size)), least * (1 - 1e-9));
  }
}

// The best Σ with trace 1 makes ½λ tr(WΣ⁻¹Wᵀ) = ½λ‖W‖_*², the nuclear norm squared. W is optimal if G = −∇Σ L_i is a
// subgradient of that: ⟨G, W⟩ = λ‖W‖_*² and ‖G‖₂ ≤ λ‖W‖_*.
TEST(MochaCocoa, LearnsTheRelationshipThatMakesTheNuclearNorm) {
  const double lambda = 0.02;
  const Given given(random_dataset(44, "linear", 7, 4, 12), {.name = "linear"}, "l2", lambda);
  const BaselineResult result =
      run("mocha-cocoa", given.input(), {.rounds = 50000, .tolerance = 1e-8, .relationship = Relationship::kLearned});
  EXPECT_THAT(result.notes, ::testing::ElementsAre(::testing::StartsWith("arrived")));
  const double nuclear = Eigen::JacobiSVD<Matrix>(result.w).singularValues().sum();
  const Matrix slope = -loss_gradients(given.problem(), result.w);
  EXPECT_GT(nuclear, 1);
  EXPECT_NEAR(slope.cwiseProduct(result.w).sum(), lambda * nuclear * nuclear, 2e-3 * lambda * nuclear * nuclear);
  EXPECT_LE(Eigen::JacobiSVD<Matrix>(slope).singularValues()[0], lambda * nuclear * 1.002);
}

TEST(MochaCocoa, LearnsTheSameRelationshipOnEveryGraph) {
  Dataset dataset = random_dataset(44, "linear", 7, 4, 12);
  const BaselineOptions options{.rounds = 50, .relationship = Relationship::kLearned};
  const Matrix with_edges = run("mocha-cocoa", Given(dataset, {.name = "linear"}, "l2", 0.1).input(), options).w;
  dataset.edges.clear();
  EXPECT_EQ(run("mocha-cocoa", Given(dataset, {.name = "linear"}, "l2", 0.1).input(), options).w, with_edges);
  EXPECT_FALSE(find_baseline("mocha-cocoa")->reads_graph(options));
  EXPECT_TRUE(find_baseline("mocha-cocoa")->reads_graph({}));
}

// One sample x = y = 1 and ridge 1: max(0, 1 − w) + w² is 0.75 at its minimum w = 0.5.
TEST(MochaCocoa, TellsTheObjectiveThatItMinimises) {
  EXPECT_THAT(run("mocha-cocoa", single_samples({1}, 1, 0).input()).notes.front(),
              ::testing::HasSubstr("its own objective 0.75"));
}

std::string refusal(const BaselineInput& input, const BaselineOptions& options = {}) {
  const auto result = run_baseline(*find_baseline("mocha-cocoa"), input, options);
  return result ? "" : result.error().messages.front();
}

TEST(MochaCocoa, RefusesOtherModelsByName) {
  using ::testing::HasSubstr;
  for (const std::string model : {"softmax", "poisson", "point", "gaussian-mean", "graphical"}) {
    const Given given(random_dataset(45, model, 4, 2, 5), {.name = model}, "l2", 0.1);
    EXPECT_THAT(refusal(given.input()), HasSubstr("'" + model + "'"));
  }
  const Given robust(random_dataset(45, "linear", 4, 2, 5), {.name = "linear", .residual_loss = ResidualLoss::kHuber},
                     "l2", 0.1);
  EXPECT_THAT(refusal(robust.input()), HasSubstr("squared residuals only"));
  const Given linear(random_dataset(45, "linear", 4, 2, 5), {.name = "linear"}, "l2", 0);
  EXPECT_EQ(refusal(linear.input(), {.rounds = 1}), "");
  EXPECT_THAT(refusal({.problem = linear.problem()}), HasSubstr("samples"));
  EXPECT_THAT(refusal(linear.input(), {.relationship = Relationship::kLearned}), HasSubstr("λ > 0"));
}

TEST(MochaCocoa, SaysWhatGapIsLeftAtTheLimit) {
  const Given given(random_dataset(46, "linear", 6, 2, 8), {.name = "linear", .ridge = 0.1}, "l2", 0.3);
  const BaselineResult result = run("mocha-cocoa", given.input(), {.rounds = 3});
  EXPECT_EQ(result.trace.size(), 3U);
  EXPECT_THAT(result.notes,
              ::testing::ElementsAre(::testing::StartsWith("stopped at round 3 of 3, relative duality gap")));
}

TEST(MochaCocoa, GivesTheSameBitsForEveryNumberOfThreads) {
  for (const Relationship relationship : {Relationship::kGraph, Relationship::kLearned}) {
    const Given given(random_dataset(47, "logistic", 40, 3, 8), {.name = "logistic"}, "l2", 0.3);
    BaselineOptions options{.rounds = 40, .relationship = relationship, .threads = 1};
    const Matrix one = run("mocha-cocoa", given.input(), options).w;
    for (const int threads : {2, 3}) {
      options.threads = threads;
      EXPECT_TRUE(run("mocha-cocoa", given.input(), options).w == one);
    }
  }
}

}  // namespace
}  // namespace gtvmin
