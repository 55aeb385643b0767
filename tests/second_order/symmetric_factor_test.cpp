#include "gtvmin/second_order/symmetric_factor.h"

#include <gtest/gtest.h>

#include "testing/random_problems.h"

namespace gtvmin {
namespace {

/// A chain's matrix, positive definite, or with a singular diagonal shift of 0.
void fill(SymmetricFactor& factor, Index size, double shift) {
  factor.clear();
  for (Index i = 0; i < size; ++i) factor.add(i, i, (i == 0 || i == size - 1 ? 1 : 2) + shift);
  for (Index i = 0; i + 1 < size; ++i) factor.add(i + 1, i, -1);
  factor.factorise();
}

Matrix multiply(const Matrix& x, double shift) {
  Matrix out = shift * x;
  for (Index i = 0; i + 1 < x.rows(); ++i) {
    const auto flow = (x.row(i) - x.row(i + 1)).eval();
    out.row(i) += flow;
    out.row(i + 1) -= flow;
  }
  return out;
}

TEST(SymmetricFactor, SolvesDenseAndSparseAlikeAndMayBeFilledAgain) {
  constexpr Index kSize = 40;
  Rng rng(3);
  const Matrix b = random_matrix(rng, kSize, 3);
  for (const double entries : {2.0 * kSize, 0.5 * kSize * kSize}) {
    SymmetricFactor factor(kSize, 1, {{}, entries});
    EXPECT_EQ(factor.is_dense(), entries > 2 * kSize);
    for (const double shift : {0.5, 3.0}) {
      fill(factor, kSize, shift);
      EXPECT_LE((multiply(factor.solve(b), shift) - b).norm(), 1e-12 * b.norm());
    }
  }
}

TEST(SymmetricFactor, EliminatesBlocksInAnyOrder) {
  constexpr NodeId kNodes = 20;
  constexpr Index kDimension = 2;
  constexpr Index kSize = kNodes * kDimension;
  Rng rng(8);
  const Matrix b = random_matrix(rng, kSize, 2);
  Elimination backwards{{}, kSize};
  for (NodeId i = 0; i < kNodes; ++i) backwards.turn.push_back(kNodes - 1 - i);
  SymmetricFactor factor(kNodes, kDimension, backwards);
  ASSERT_FALSE(factor.is_dense());
  for (const double shift : {0.5, 3.0}) {
    fill(factor, kSize, shift);
    EXPECT_LE((multiply(factor.solve(b), shift) - b).norm(), 1e-12 * b.norm());
  }
}

TEST(SymmetricFactor, SurvivesASingularMatrix) {
  constexpr Index kSize = 30;
  SymmetricFactor factor(kSize, 1, {{}, kSize * kSize});
  ASSERT_TRUE(factor.is_dense());
  fill(factor, kSize, 0);
  EXPECT_TRUE(factor.solve(Matrix::Identity(kSize, 1)).allFinite());
}

}  // namespace
}  // namespace gtvmin
