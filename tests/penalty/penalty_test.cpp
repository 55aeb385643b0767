#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <type_traits>

#include "gtvmin/testing/penalty_properties.h"
#include "testing/random_problems.h"

namespace gtvmin {
namespace {

using ::testing::HasSubstr;

constexpr Index kDimensions[] = {1, 2, 3, 7};

TEST(Penalty, EveryBuiltInKeepsItsPromises) {
  for (const auto& name : penalty_names()) {
    for (const Index d : kDimensions) {
      SCOPED_TRACE(::testing::Message() << name << ", d = " << d);
      EXPECT_PENALTY_PROPERTIES_HOLD(test_penalty(name, d), d);
      EXPECT_PENALTY_PROPERTIES_HOLD(test_penalty(name, d), d, {.seed = 2, .size = 1e-4});
      EXPECT_PENALTY_PROPERTIES_HOLD(test_penalty("singular", d), d);
    }
  }
}

TEST(Penalty, QuadraticKeepsItsPromisesForRegularSingularAndZeroQ) {
  Rng rng(5);
  for (const Index d : kDimensions) {
    const Matrix root = random_matrix(rng, d, d);
    Matrix regular = root * root.transpose();
    regular = (regular + regular.transpose()).eval() / 2;
    EXPECT_PENALTY_PROPERTIES_HOLD(*make_penalty("quadratic", regular), d);
    EXPECT_PENALTY_PROPERTIES_HOLD(*make_penalty("quadratic", Matrix::Ones(d, d)), d);
    EXPECT_PENALTY_PROPERTIES_HOLD(*make_penalty("quadratic", Matrix::Zero(d, d)), d);
  }
}

TEST(Penalty, QuadraticWithTheIdentityIsSquaredL2) {
  const auto quadratic = QuadraticPenalty::make(Matrix::Identity(3, 3));
  const Vector v{{0.5, -2, 1}};
  EXPECT_NEAR(quadratic->value(v.data(), 3), SquaredL2Penalty().value(v.data(), 3), 1e-15);
  EXPECT_NEAR(quadratic->value(v.data(), 3), 2.625, 1e-15);
}

TEST(Penalty, ABadMatrixIsRefusedWithItsReason) {
  const auto reason = [](const Matrix& q) {
    const auto penalty = make_penalty("quadratic", q);
    return penalty ? std::string("accepted") : penalty.error().messages.front();
  };
  EXPECT_THAT(reason(Matrix(0, 0)), HasSubstr("square"));
  EXPECT_THAT(reason(Matrix::Ones(2, 3)), HasSubstr("square"));
  EXPECT_THAT(reason(Matrix{{1, 0.5}, {0.2, 1}}), HasSubstr("not symmetric"));
  EXPECT_THAT(reason(Matrix{{1, 0}, {0, -1e-6}}), HasSubstr("not positive semidefinite"));
  EXPECT_THAT(reason(Matrix{{1, 0}, {0, std::numeric_limits<double>::quiet_NaN()}}), HasSubstr("not a finite number"));
  EXPECT_THAT(reason(Matrix{{1, 0}, {0, std::numeric_limits<double>::infinity()}}), HasSubstr("not a finite number"));
}

TEST(Penalty, NamesLeadToPenaltiesAndBack) {
  for (const auto& name : penalty_names()) EXPECT_EQ(penalty_name(test_penalty(name, 2)), name);
  EXPECT_EQ(make_penalty("l3").error().kind, Error::Kind::kUsage);
  EXPECT_THAT(make_penalty("l3").error().messages.front(), HasSubstr("l2, l1, squared_l2, quadratic, linf"));
  EXPECT_TRUE(is_norm(test_penalty("linf", 2)));
  EXPECT_FALSE(is_norm(test_penalty("squared_l2", 2)));
}

TEST(Penalty, ADimensionKnownToTheCompilerGivesTheSameBits) {
  constexpr std::integral_constant<Index, 3> kThree;
  Rng rng(6);
  for (const auto& name : penalty_names()) {
    const Penalty penalty = test_penalty(name, 3);
    for (int repeat = 0; repeat < 20; ++repeat) {
      Vector fixed = random_vector(rng, 3, 2);
      Vector dynamic = fixed;
      Vector scratch(3);
      std::visit(
          [&](const auto& p) {
            EXPECT_EQ(p.value(fixed.data(), kThree), p.value(dynamic.data(), Index{3}));
            p.dual_update(fixed.data(), kThree, 0.7, 0.4, scratch.data());
            p.dual_update(dynamic.data(), Index{3}, 0.7, 0.4, scratch.data());
          },
          penalty);
      EXPECT_EQ(fixed, dynamic) << name;
    }
  }
}

TEST(Penalty, L2KeepsEveryBitOfAFlowInsideItsBallAndShortensOthersToIt) {
  const L2Penalty penalty;
  Rng rng(7);
  for (int repeat = 0; repeat < 10'000; ++repeat) {
    const double kappa = std::exp(20 * rng.uniform() - 10);
    Vector inside = random_vector(rng, 3, 1);
    inside *= 0.999 * kappa * rng.uniform() / inside.norm();
    const Vector before = inside;
    penalty.dual_update(inside.data(), 3, kappa, 1, nullptr);
    ASSERT_EQ(inside, before) << kappa;
    Vector outside = before * (2 * kappa / before.norm());
    penalty.dual_update(outside.data(), 3, kappa, 1, nullptr);
    ASSERT_NEAR(outside.norm(), kappa, 1e-14 * kappa);
  }
  Vector nothing = Vector::Zero(3);
  penalty.dual_update(nothing.data(), 3, 0, 1, nullptr);
  EXPECT_EQ(nothing, Vector::Zero(3));
}

TEST(Penalty, LinfProjectsOntoTheL1BallAlsoWithTies) {
  const LinfPenalty penalty;
  Vector scratch(4);
  Vector x{{2, -2, 2, 0}};
  penalty.dual_update(x.data(), 4, 3, 1, scratch.data());
  EXPECT_EQ(x, (Vector{{1, -1, 1, 0}}));
  Vector inside{{0.5, -0.25, 0, 0.25}};
  penalty.dual_update(inside.data(), 4, 1, 1, scratch.data());
  EXPECT_EQ(inside, (Vector{{0.5, -0.25, 0, 0.25}}));
}

}  // namespace
}  // namespace gtvmin
