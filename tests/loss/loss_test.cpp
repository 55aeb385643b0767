#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "gtvmin/loss/absolute_loss.h"
#include "gtvmin/loss/borrowed_loss.h"
#include "gtvmin/loss/generalized_linear_loss.h"
#include "gtvmin/loss/graphical_loss.h"
#include "gtvmin/loss/profile_loss.h"
#include "gtvmin/loss/quadratic_loss.h"
#include "gtvmin/loss/scaled_loss.h"
#include "gtvmin/loss/softmax_loss.h"
#include "gtvmin/loss/sum_loss.h"
#include "gtvmin/testing/loss_properties.h"
#include "testing/random_problems.h"

namespace gtvmin {
namespace {

struct Shape {
  Index dimension;
  Index samples;
};
constexpr Shape kShapes[] = {{1, 1}, {2, 1}, {5, 3}, {4, 4}, {3, 9}, {7, 20}};

LossPtr least_squares(Rng& rng, Index d, Index m, const Vector& ridge, double feature_size = 1) {
  return QuadraticLoss::least_squares(random_matrix(rng, d, m, feature_size), random_vector(rng, m, 1),
                                      1 / static_cast<double>(m), ridge);
}

TEST(LeastSquares, KeepsItsPromisesForFewAndManySamples) {
  Rng rng(11);
  for (const auto& [d, m] : kShapes) {
    SCOPED_TRACE(::testing::Message() << "d = " << d << ", m = " << m);
    EXPECT_LOSS_PROPERTIES_HOLD(*least_squares(rng, d, m, Vector::Zero(d)));
    EXPECT_LOSS_PROPERTIES_HOLD(*least_squares(rng, d, m, Vector::Constant(d, 0.3)));
    Vector except_intercept = Vector::Constant(d, 0.3);
    except_intercept[d - 1] = 0;
    EXPECT_LOSS_PROPERTIES_HOLD(*least_squares(rng, d, m, except_intercept));
  }
}

TEST(LeastSquares, StepMatrixGivesTheProx) {
  Rng rng(14);
  for (Index d = 1; d <= 13; ++d) {
    SCOPED_TRACE(d);
    const LossPtr loss = least_squares(rng, d, d + 3, Vector::Zero(d));
    const QuadraticForm& form = *loss->quadratic_form();
    ASSERT_EQ(form.rank, d);
    Vector matrix(step_matrix_size(d));
    Vector z(d);
    Vector expected(d);
    Vector scratch(2 * d);
    for (const double rho : {1e-3, 1.0, 1e4}) {
      const Vector v = random_vector(rng, d, 2);
      fill_step_matrix(form, d, rho, matrix.data());
      step_matrix_prox(form.minimiser, matrix.data(), v.data(), d, z.data(), scratch.data(), scratch.data() + d);
      loss->prox(v, rho, 0, expected, scratch);
      EXPECT_LE((z - expected).norm(), 1e-13 * (v.norm() + expected.norm()));
    }
  }
}

TEST(LeastSquares, KeepsItsPromisesForAwkwardFeatures) {
  Rng rng(12);
  const Vector no_ridge = Vector::Zero(4);
  EXPECT_LOSS_PROPERTIES_HOLD(*least_squares(rng, 4, 9, no_ridge, 1e4));
  EXPECT_LOSS_PROPERTIES_HOLD(*least_squares(rng, 4, 9, no_ridge, 1e-4));
  EXPECT_LOSS_PROPERTIES_HOLD(*QuadraticLoss::least_squares(Matrix(4, 0), Vector(0), 1, Vector::Constant(4, 0.5)));

  Matrix one_large = random_matrix(rng, 4, 9);
  one_large.row(2) *= 1e4;
  EXPECT_LOSS_PROPERTIES_HOLD(*QuadraticLoss::least_squares(one_large, random_vector(rng, 9, 1), 0.1, no_ridge));
  Matrix duplicated = random_matrix(rng, 4, 6);
  duplicated.rightCols(3) = duplicated.leftCols(3);
  EXPECT_LOSS_PROPERTIES_HOLD(*QuadraticLoss::least_squares(duplicated, random_vector(rng, 6, 1), 0.1, no_ridge));
  Matrix constant = random_matrix(rng, 4, 6);
  constant.row(1).setConstant(3);
  EXPECT_LOSS_PROPERTIES_HOLD(*QuadraticLoss::least_squares(constant, random_vector(rng, 6, 1), 0.1, no_ridge));
  EXPECT_LOSS_PROPERTIES_HOLD(*QuadraticLoss::least_squares(Matrix::Zero(4, 2), Vector::Ones(2), 0.5, no_ridge));
}

TEST(LeastSquares, IsTheSumOfSquaresPlusRidge) {
  Rng rng(13);
  for (const auto& [d, m] : kShapes) {
    const Matrix x = random_matrix(rng, d, m);
    const Vector y = random_vector(rng, m, 1);
    Vector ridge = Vector::Constant(d, 0.3);
    for (int pass = 0; pass < 2; ++pass) {
      const auto loss = QuadraticLoss::least_squares(x, y, 0.7, ridge);
      const Vector w = random_vector(rng, d, 2);
      const double direct = 0.7 * (x.transpose() * w - y).squaredNorm() + ridge.dot(w.cwiseAbs2());
      EXPECT_NEAR(loss->value(w), direct, 1e-12 * direct);
      EXPECT_FALSE(loss->is_trivial());
      ridge[0] = 0.9;  // the second pass is not uniform
    }
  }
}

TEST(LeastSquares, IsAccurateWhereItIsNearlyZero) {
  Rng rng(14);
  const Matrix x = random_matrix(rng, 3, 8);
  const Vector truth = random_vector(rng, 3, 1);
  const auto loss = QuadraticLoss::least_squares(x, x.transpose() * truth, 1, Vector::Zero(3));
  const Vector off = 1e-9 * random_vector(rng, 3, 1);
  const double direct = (x.transpose() * off).squaredNorm();
  EXPECT_NEAR(loss->value(truth + off), direct, 1e-5 * direct);
}

TEST(PointLoss, KeepsItsPromisesAndPullsToTheMean) {
  Rng rng(15);
  for (const Index d : {1, 2, 6}) {
    const Matrix points = random_matrix(rng, d, 3);
    const auto loss = QuadraticLoss::points(points, 0.5, 0.25);
    EXPECT_LOSS_PROPERTIES_HOLD(*loss);
    const Vector w = random_vector(rng, d, 1);
    const double direct = 0.5 * (points.colwise() - w).squaredNorm() + 0.25 * w.squaredNorm();
    EXPECT_NEAR(loss->value(w), direct, 1e-13 * direct);
  }
}

TEST(ZeroLoss, KeepsItsPromisesAndItsProxMovesNothing) {
  const auto loss = QuadraticLoss::zero(3);
  EXPECT_LOSS_PROPERTIES_HOLD(*loss);
  EXPECT_TRUE(loss->is_trivial());
  const Vector v(Vector::LinSpaced(3, 0.1, 0.7));
  Vector z = Vector::Zero(3);
  Vector scratch(loss->scratch_size());
  loss->prox(v, 0.3, 0, z, scratch);
  EXPECT_EQ(z, v);
}

TEST(QuadraticForm, KeepsItsPromisesForASingularHessian) {
  Rng rng(16);
  const Matrix root = random_matrix(rng, 4, 2);
  const auto loss = QuadraticLoss::from_hessian(root * root.transpose(), random_vector(rng, 4, 1), -2.5);
  EXPECT_LOSS_PROPERTIES_HOLD(*loss);
  EXPECT_EQ(loss->lower_bound(), -2.5);
}

TEST(LogisticLoss, KeepsItsPromises) {
  Rng rng(17);
  for (const auto& [d, m] : kShapes) {  // m ≤ d is separable
    SCOPED_TRACE(::testing::Message() << "d = " << d << ", m = " << m);
    const Matrix x = random_matrix(rng, d, m);
    const Vector y = random_labels(rng, m);
    EXPECT_LOSS_PROPERTIES_HOLD(*LogisticLoss::make(x, y, 1 / static_cast<double>(m), Vector::Zero(d)));
    EXPECT_LOSS_PROPERTIES_HOLD(*LogisticLoss::make(x, y, 2, Vector::Constant(d, 0.1)));
    EXPECT_LOSS_PROPERTIES_HOLD(*LogisticLoss::make(10 * x, y, 1, Vector::Zero(d)));
  }
}

TEST(LogisticLoss, HasTheKnownValueAndStaysFiniteFarOut) {
  const Matrix x = Matrix::Constant(1, 1, 1);
  const auto loss = LogisticLoss::make(x, Vector::Ones(1), 3, Vector::Zero(1));
  EXPECT_NEAR(loss->value(Vector::Zero(1)), 3 * std::log(2), 1e-15);
  EXPECT_NEAR(loss->value(Vector::Constant(1, -800)), 2400, 1e-9);
  EXPECT_EQ(loss->value(Vector::Constant(1, 800)), 0);
  Vector gradient(1);
  loss->gradient(Vector::Constant(1, -800), gradient);
  EXPECT_EQ(gradient[0], -3);
}

TEST(LogisticLoss, ProxReturnsFromAWarmStartFarAway) {
  Rng rng(18);
  const auto loss = LogisticLoss::make(10 * random_matrix(rng, 3, 6), random_labels(rng, 6), 1, Vector::Zero(3));
  const Vector v = random_vector(rng, 3, 1);
  Vector near = v;
  Vector far = Vector::Constant(3, 1e4);
  Vector scratch(loss->scratch_size());
  loss->prox(v, 0.5, 0, near, scratch);
  loss->prox(v, 0.5, 0, far, scratch);
  EXPECT_LE((near - far).norm(), 1e-9 * near.norm());
}

TEST(HuberLoss, KeepsItsPromisesAndIsSquaredNearTheLabels) {
  Rng rng(19);
  for (const auto& [d, m] : kShapes) {
    SCOPED_TRACE(::testing::Message() << "d = " << d << ", m = " << m);
    const Matrix x = random_matrix(rng, d, m);
    const Vector y = random_vector(rng, m, 2);
    EXPECT_LOSS_PROPERTIES_HOLD(*HuberLoss::make(x, y, 1 / static_cast<double>(m), Vector::Zero(d), {0.7}));
    EXPECT_LOSS_PROPERTIES_HOLD(*HuberLoss::make(x, y, 1, Vector::Constant(d, 0.1), {0.1}));
    const Vector w = random_vector(rng, d, 1);
    const auto wide = HuberLoss::make(x, y, 0.5, Vector::Zero(d), {1e6});
    const auto squares = QuadraticLoss::least_squares(x, y, 0.5, Vector::Zero(d));
    EXPECT_NEAR(wide->value(w), squares->value(w), 1e-12 * squares->value(w));
  }
}

TEST(AbsoluteLoss, KeepsItsPromises) {
  Rng rng(20);
  for (const auto& [d, m] : kShapes) {
    SCOPED_TRACE(::testing::Message() << "d = " << d << ", m = " << m);
    const Matrix x = random_matrix(rng, d, m);
    const Vector y = random_vector(rng, m, 2);
    EXPECT_LOSS_PROPERTIES_HOLD(*AbsoluteLoss::make(x, y, 1 / static_cast<double>(m), Vector::Zero(d)));
    EXPECT_LOSS_PROPERTIES_HOLD(*AbsoluteLoss::make(x, y, 1, Vector::Constant(d, 0.1)));
    EXPECT_LOSS_PROPERTIES_HOLD(*AbsoluteLoss::make(100 * x, y, 1, Vector::Zero(d)));
  }
  Matrix repeated = random_matrix(rng, 3, 6);
  repeated.rightCols(3) = repeated.leftCols(3);
  EXPECT_LOSS_PROPERTIES_HOLD(*AbsoluteLoss::make(repeated, Vector::Ones(6), 1, Vector::Zero(3)));
  EXPECT_LOSS_PROPERTIES_HOLD(*AbsoluteLoss::make(Matrix::Zero(3, 4), Vector::Ones(4), 1, Vector::Zero(3)));
}

// In one dimension with x = 1 the prox for small ρ is the median.
TEST(AbsoluteLoss, PullsToTheMedian) {
  const auto loss = AbsoluteLoss::make(Matrix::Ones(1, 5), Vector{{7, 1, 100, 2, -3}}, 1, Vector::Zero(1));
  Vector z(1);
  Vector scratch(loss->scratch_size());
  loss->prox(Vector::Constant(1, 50), 1e-3, 0, z, scratch);
  EXPECT_NEAR(z[0], 2, 1e-13);
}

TEST(PoissonLoss, KeepsItsPromises) {
  Rng rng(21);
  for (const auto& [d, m] : kShapes) {
    SCOPED_TRACE(::testing::Message() << "d = " << d << ", m = " << m);
    const Matrix x = random_matrix(rng, d, m, 0.3);
    Vector y(m);
    for (double& count : y) count = static_cast<double>(rng.below(6));
    EXPECT_LOSS_PROPERTIES_HOLD(*PoissonLoss::make(x, y, 1 / static_cast<double>(m), Vector::Zero(d)));
    EXPECT_LOSS_PROPERTIES_HOLD(*PoissonLoss::make(x, Vector::Zero(m), 1, Vector::Constant(d, 0.1)));
  }
}

TEST(PoissonLoss, IsLeastWhereTheRateIsTheCountAndReturnsFromOverflow) {
  const auto loss = PoissonLoss::make(Matrix::Ones(1, 1), Vector::Constant(1, 4), 1, Vector::Zero(1));
  EXPECT_NEAR(loss->value(Vector::Constant(1, std::log(4.0))), 0, 1e-15);
  Vector z = Vector::Constant(1, 1e4);  // exp overflows
  Vector scratch(loss->scratch_size());
  loss->prox(Vector::Constant(1, 2e3), 1e-6, 0, z, scratch);
  // exp(z) − 4 + 1e-6 (z − 2000) = 0 at z = log 4.001999.
  EXPECT_NEAR(std::exp(z[0]) - 4 + 1e-6 * (z[0] - 2e3), 0, 1e-9);
}

TEST(SoftmaxLoss, KeepsItsPromises) {
  Rng rng(22);
  for (const auto& [d, m] : kShapes) {
    for (const Index classes : {2, 3}) {
      SCOPED_TRACE(::testing::Message() << "d = " << d << ", m = " << m << ", K = " << classes);
      const Matrix x = random_matrix(rng, d, m);
      Vector y(m);
      for (double& label : y) label = static_cast<double>(rng.below(classes));
      const Vector none = Vector::Zero(d * classes);
      EXPECT_LOSS_PROPERTIES_HOLD(*SoftmaxLoss::make(x, y, classes, 1 / static_cast<double>(m), none));
      EXPECT_LOSS_PROPERTIES_HOLD(*SoftmaxLoss::make(x, y, classes, 1, Vector::Constant(d * classes, 0.1)));
    }
  }
}

// With two classes only the difference of their columns counts, and it counts as the logistic score.
TEST(SoftmaxLoss, WithTwoClassesIsLogistic) {
  Rng rng(23);
  const Matrix x = random_matrix(rng, 3, 7);
  const Vector signs = random_labels(rng, 7);
  const Vector classes = (signs.array() + 1) / 2;
  const auto softmax = SoftmaxLoss::make(x, classes, 2, 0.3, Vector::Zero(6));
  const auto logistic = LogisticLoss::make(x, signs, 0.3, Vector::Zero(3));
  const Vector w = random_vector(rng, 6, 2);
  EXPECT_NEAR(softmax->value(w), logistic->value(w.tail(3) - w.head(3)), 1e-13);
}

Matrix random_covariance(Rng& rng, Index order, Index samples) {
  const Matrix x = random_matrix(rng, order, samples);
  return x * x.transpose() / static_cast<double>(samples);
}

TEST(GraphicalLoss, KeepsItsPromises) {
  Rng rng(24);
  for (const Index order : {1, 2, 4}) {
    SCOPED_TRACE(::testing::Message() << "order " << order);
    const Matrix covariance = random_covariance(rng, order, 9);
    EXPECT_LOSS_PROPERTIES_HOLD(*GraphicalLoss::make(covariance, 1, 0, 0));
    EXPECT_LOSS_PROPERTIES_HOLD(*GraphicalLoss::make(covariance, 3, 0.2, 0));
    EXPECT_LOSS_PROPERTIES_HOLD(*GraphicalLoss::make(covariance, 1, 0, 0.3));
    EXPECT_LOSS_PROPERTIES_HOLD(*GraphicalLoss::make(random_covariance(rng, order, 1), 1, 0.1, 0));
  }
}

TEST(GraphicalLoss, IsLeastAtTheInverseCovarianceAndInfiniteOutsideItsDomain) {
  Rng rng(25);
  const Matrix covariance = random_covariance(rng, 3, 9);
  const auto loss = GraphicalLoss::make(covariance, 2, 0, 0);
  Vector w(6);
  pack_symmetric(covariance.inverse(), w);
  EXPECT_NEAR(loss->value(w), loss->lower_bound(), 1e-12);
  EXPECT_TRUE(unpack_symmetric(w, 3).isApprox(covariance.inverse(), 1e-14));
  EXPECT_NEAR(w.norm(), covariance.inverse().norm(), 1e-12 * w.norm());
  EXPECT_TRUE(std::isinf(loss->value(-w)));
}

std::vector<Index> first_and_third() { return {0, 2}; }

TEST(ProfileLoss, KeepsItsPromisesWhateverTheFullLoss) {
  Rng rng(26);
  const Matrix x = random_matrix(rng, 4, 9);
  const Vector none = Vector::Zero(4);
  const Vector y = random_vector(rng, 9, 1);
  EXPECT_LOSS_PROPERTIES_HOLD(*profile_loss(QuadraticLoss::least_squares(x, y, 0.1, none), first_and_third()));
  EXPECT_LOSS_PROPERTIES_HOLD(
      *profile_loss(QuadraticLoss::least_squares(x.leftCols(3), y.head(3), 0.5, none), first_and_third()));
  // As many private parameters as samples: they fit whatever the others are.
  EXPECT_LE(profile_loss(QuadraticLoss::least_squares(x.leftCols(2), y.head(2), 0.5, none), first_and_third())
                ->value(Vector{{1, -2}}),
            1e-20);
  EXPECT_LOSS_PROPERTIES_HOLD(
      *profile_loss(LogisticLoss::make(x, random_labels(rng, 9), 0.1, Vector::Constant(4, 0.1)), first_and_third()));
  EXPECT_EQ(profile_loss(GraphicalLoss::make(random_covariance(rng, 2, 9), 1, 0, 0), std::vector<Index>{1}), nullptr);
  EXPECT_EQ(profile_loss(AbsoluteLoss::make(x, y, 1, none), first_and_third()), nullptr);
}

TEST(ProfileLoss, IsTheFullLossAtTheBestPrivateParameters) {
  Rng rng(27);
  const Matrix x = random_matrix(rng, 4, 12);
  const auto full = [&] { return LogisticLoss::make(x, random_labels(rng, 12), 0.1, Vector::Constant(4, 0.05)); };
  for (const bool quadratic : {false, true}) {
    const LossPtr reference =
        quadratic ? QuadraticLoss::least_squares(x, Vector::Ones(12), 0.1, Vector::Zero(4)) : full();
    LossPtr same = quadratic ? QuadraticLoss::least_squares(x, Vector::Ones(12), 0.1, Vector::Zero(4)) : nullptr;
    Rng again(27);
    const Matrix x_again = random_matrix(again, 4, 12);
    if (!quadratic) same = LogisticLoss::make(x_again, random_labels(again, 12), 0.1, Vector::Constant(4, 0.05));
    const LossPtr loss = profile_loss(std::move(same), first_and_third());
    const Vector w = random_vector(rng, 2, 1);
    Vector all(4);
    loss->complete(w, all);
    EXPECT_EQ(Vector(all(first_and_third())), w);
    EXPECT_NEAR(reference->value(all), loss->value(w), 1e-8);
    Vector gradient(4);
    reference->gradient(all, gradient);
    EXPECT_NEAR(gradient[1], 0, 1e-7);
    EXPECT_NEAR(gradient[3], 0, 1e-7);
  }
}

TEST(SumLoss, KeepsItsPromisesWhateverTheSummands) {
  Rng rng(28);
  const Matrix x = random_matrix(rng, 3, 12);
  const Vector y = random_vector(rng, 12, 1);
  const auto squares = QuadraticLoss::least_squares(x.leftCols(2), y.head(2), 0.5, Vector::Zero(3));
  const auto points = QuadraticLoss::points(random_matrix(rng, 3, 2), 1, 0);
  const auto nothing = QuadraticLoss::zero(3);
  const auto logistic = LogisticLoss::make(x, random_labels(rng, 12), 0.1, Vector::Zero(3));
  const auto huber = HuberLoss::make(x, y, 0.2, Vector::Zero(3), {0.7});
  EXPECT_LOSS_PROPERTIES_HOLD(*sum_loss({squares.get(), points.get(), nothing.get()}));
  EXPECT_LOSS_PROPERTIES_HOLD(*sum_loss({nothing.get(), nothing.get()}));
  EXPECT_LOSS_PROPERTIES_HOLD(*sum_loss({logistic.get(), squares.get()}));
  EXPECT_LOSS_PROPERTIES_HOLD(*sum_loss({nothing.get(), huber.get(), logistic.get()}));
  const auto first = GraphicalLoss::make(random_covariance(rng, 2, 9), 1, 0, 0);
  const auto second = GraphicalLoss::make(random_covariance(rng, 2, 1), 2, 0.1, 0);
  EXPECT_LOSS_PROPERTIES_HOLD(*sum_loss({nothing.get(), first.get(), second.get()}));
}

TEST(SumLoss, IsTheSum) {
  Rng rng(29);
  const Matrix x = random_matrix(rng, 3, 8);
  const auto squares = QuadraticLoss::least_squares(x, random_vector(rng, 8, 1), 0.5, Vector::Zero(3));
  const auto points = QuadraticLoss::points(random_matrix(rng, 3, 2), 1, 0.2);
  const auto logistic = LogisticLoss::make(x, random_labels(rng, 8), 0.1, Vector::Zero(3));
  const Vector w = random_vector(rng, 3, 1);
  for (const std::vector<const LocalLoss*>& summands :
       {std::vector<const LocalLoss*>{squares.get(), points.get()}, {squares.get(), logistic.get(), points.get()}}) {
    double direct = 0;
    for (const LocalLoss* loss : summands) direct += loss->value(w);
    EXPECT_NEAR(sum_loss(summands)->value(w), direct, 1e-13 * direct);
  }
}

TEST(BorrowedLoss, KeepsItsPromisesAndAnswersLikeItsOwner) {
  Rng rng(30);
  const Matrix x = random_matrix(rng, 3, 8);
  const Vector y = random_vector(rng, 8, 1);
  const Vector none = Vector::Zero(3);
  const auto squares = QuadraticLoss::least_squares(x, y, 0.5, none);
  const auto absolute = AbsoluteLoss::make(x, y, 0.5, none);
  const auto profile =
      profile_loss(LogisticLoss::make(x, random_labels(rng, 8), 0.1, Vector::Constant(3, 0.1)), first_and_third());
  EXPECT_LOSS_PROPERTIES_HOLD(*borrowed_loss(*squares));
  EXPECT_LOSS_PROPERTIES_HOLD(*borrowed_loss(*absolute));
  EXPECT_LOSS_PROPERTIES_HOLD(*borrowed_loss(*profile));
  EXPECT_EQ(borrowed_loss(*squares)->quadratic_form(), squares->quadratic_form());
  EXPECT_EQ(borrowed_loss(*absolute)->sample_form(), absolute->sample_form());
  EXPECT_EQ(borrowed_loss(*profile)->parameters(), 3);
  EXPECT_TRUE(borrowed_loss(*QuadraticLoss::zero(2))->is_trivial());
}

TEST(ScaledLoss, KeepsThePromisesOfTheLossThatItScales) {
  Rng rng(23);
  const Matrix x = random_matrix(rng, 3, 7);
  const Vector ridge = Vector::Constant(3, 0.2);
  const auto scaled = [](LossPtr loss, double weight) { return scaled_loss(std::move(loss), weight); };
  for (const double weight : {0.25, 1.0, 40.0}) {
    SCOPED_TRACE(weight);
    EXPECT_LOSS_PROPERTIES_HOLD(*scaled(least_squares(rng, 3, 7, ridge), weight));
    EXPECT_LOSS_PROPERTIES_HOLD(*scaled(least_squares(rng, 4, 2, Vector::Zero(4)), weight));
    EXPECT_LOSS_PROPERTIES_HOLD(*scaled(LogisticLoss::make(x, random_labels(rng, 7), 0.1, ridge), weight));
    EXPECT_LOSS_PROPERTIES_HOLD(*scaled(AbsoluteLoss::make(x, random_vector(rng, 7, 1), 0.1, ridge), weight));
  }
}

TEST(ScaledLoss, HasSamplesAndEigenformOfTheScaledLoss) {
  Rng rng(24);
  const Vector w = random_vector(rng, 3, 1);
  const std::shared_ptr<const LocalLoss> loss = least_squares(rng, 3, 7, Vector::Constant(3, 0.2));
  const LossPtr triple = scaled_loss(loss, 3);
  EXPECT_NEAR(static_cast<double>(sample_loss(*triple->sample_form(), w.data())), 3 * loss->value(w), 1e-12);
  const Vector off = w - Eigen::Map<const Vector>(loss->quadratic_form()->minimiser, 3);
  EXPECT_NEAR(half_form(*triple->quadratic_form(), off.data(), Index{3}),
              3 * half_form(*loss->quadratic_form(), off.data(), Index{3}), 1e-12);
}

}  // namespace
}  // namespace gtvmin
