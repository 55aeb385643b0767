// Constants of the three norms: inequalities at random vectors, equality at hand-made ones.

#include "gtvmin/theory/norm_constants.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "gtvmin/loss/generalized_linear_loss.h"
#include "gtvmin/theory/hessian_bounds.h"
#include "testing/random_problems.h"

namespace gtvmin {
namespace {

Matrix random_hessian(Rng& rng, Index d) {
  const Matrix root = random_matrix(rng, d, d + 2);
  return root * root.transpose();
}

TEST(NormConstants, BoundGradientsAndCurvatureInEveryDirection) {
  Rng rng(3);
  for (const std::string name : {"l2", "l1", "linf"}) {
    for (const Index d : {1, 2, 5, 14}) {
      SCOPED_TRACE(name + " " + std::to_string(d));
      const Penalty penalty = *make_penalty(name);
      const Matrix hessian = random_hessian(rng, d);
      const double beta = smoothness_constant(penalty, hessian);
      const double alpha = strong_convexity_constant(penalty, spectral_inverse(hessian));
      const Matrix m = random_matrix(rng, d, d);
      const double operator_norm = dual_operator_norm(penalty, m);
      EXPECT_GT(alpha, 0);
      EXPECT_GE(dual_operator_norm_bound(penalty, m), operator_norm * (1 - 1e-9));
      for (int k = 0; k < 300; ++k) {
        Vector v = random_vector(rng, d, 1);
        if (k % 2 == 0) v = v.unaryExpr([](double x) { return x > 0 ? 1.0 : -1.0; });
        const double size = norm_of(penalty, v);
        EXPECT_LE(dual_norm_of(penalty, hessian * v), beta * size * (1 + 1e-12));
        EXPECT_GE(v.dot(hessian * v), alpha * size * size * (1 - 1e-12));
        EXPECT_LE(dual_norm_of(penalty, m * v), operator_norm * dual_norm_of(penalty, v) * (1 + 1e-12));
        EXPECT_LE(v.dot(m * v), norm_of(penalty, v) * dual_norm_of(penalty, m * v) * (1 + 1e-12));
      }
    }
  }
}

// H = diag(1, 4). ℓ2: β = 4, α = 1. ℓ1: β = max_j H_jj = 4, α = 1/(1 + 1/4). ℓ∞: β = 1 + 4, α = 1/max_j (H⁻¹)_jj = 1.
TEST(NormConstants, OfADiagonalHessianFollowByHand) {
  const Matrix hessian = Vector{{1, 4}}.asDiagonal();
  const SpectralInverse inverse = spectral_inverse(hessian);
  const auto beta = [&](const char* name) { return smoothness_constant(*make_penalty(name), hessian); };
  const auto alpha = [&](const char* name) { return strong_convexity_constant(*make_penalty(name), inverse); };
  EXPECT_NEAR(beta("l2"), 4, 1e-10);
  EXPECT_NEAR(alpha("l2"), 1, 1e-10);
  EXPECT_NEAR(beta("l1"), 4, 1e-10);
  EXPECT_NEAR(alpha("l1"), 0.8, 1e-10);
  EXPECT_NEAR(beta("linf"), 5, 1e-10);
  EXPECT_NEAR(alpha("linf"), 1, 1e-10);
}

TEST(NormConstants, OfASingularHessianPromiseNoConvexity) {
  const Vector x{{1, 2, 3}};
  const SpectralInverse inverse = spectral_inverse(x * x.transpose());
  for (const std::string name : {"l2", "l1", "linf"}) {
    EXPECT_EQ(strong_convexity_constant(*make_penalty(name), inverse), 0) << name;
  }
  EXPECT_NEAR((inverse.inverse * x * x.transpose() * x - x).norm(), 0, 1e-12);
}

/// All eigenvalues of a symmetric matrix are ≥ 0 up to rounding.
bool is_semidefinite(const Matrix& m) {
  return Eigen::SelfAdjointEigenSolver<Matrix>(m).eigenvalues().minCoeff() >= -1e-10 * (1 + m.norm());
}

TEST(HessianBounds, HoldInTheWholeBall) {
  Rng rng(4);
  const Index d = 3;
  const Matrix features = random_matrix(rng, d, 6);
  const LossPtr logistic = LogisticLoss::make(features, random_labels(rng, 6), 0.2, Vector::Constant(d, 0.01));
  const LossPtr poisson = PoissonLoss::make(features, Vector::Constant(6, 2), 0.2, Vector::Zero(d));
  for (const LocalLoss* loss : {logistic.get(), poisson.get()}) {
    for (const std::string name : {"l2", "l1", "linf"}) {
      SCOPED_TRACE(name);
      const Penalty penalty = *make_penalty(name);
      const Vector centre = random_vector(rng, d, 1);
      const double radius = 0.4;
      const HessianBounds bounds = hessian_bounds(*loss, penalty, centre, radius);
      for (int k = 0; k < 50; ++k) {
        Vector v = random_vector(rng, d, 1);
        v *= radius * rng.uniform() / norm_of(penalty, v);
        Matrix hessian = Matrix::Zero(d, d);
        loss->add_hessian(centre + v, hessian);
        EXPECT_TRUE(is_semidefinite(hessian - bounds.lower));
        EXPECT_TRUE(is_semidefinite(bounds.upper - hessian));
      }
    }
  }
}

}  // namespace
}  // namespace gtvmin
