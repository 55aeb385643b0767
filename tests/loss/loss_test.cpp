#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "gtvmin/loss/logistic_loss.h"
#include "gtvmin/loss/quadratic_loss.h"
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
      step_matrix_prox(form.minimiser, matrix.data(), v.data(), d, z.data(), scratch.data());
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

}  // namespace
}  // namespace gtvmin
