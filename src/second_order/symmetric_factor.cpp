#include "gtvmin/second_order/symmetric_factor.h"

#include <Eigen/Cholesky>
#include <Eigen/SparseCholesky>
#include <vector>

namespace gtvmin {

struct SymmetricFactor::Dense {
  Matrix matrix;
  Eigen::LLT<Matrix> factor;
};

struct SymmetricFactor::SparseFactor {
  Index size = 0;
  std::vector<Eigen::Triplet<double>> entries;
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor;
  bool analysed = false;
};

SymmetricFactor::SymmetricFactor(Index size, double entries) {
  constexpr double kFilled = 0.15;  // of the square
  if (may_be_dense(size) && entries > kFilled * static_cast<double>(size) * static_cast<double>(size)) {
    dense_ = std::make_unique<Dense>();
    dense_->matrix.resize(size, size);
  } else {
    sparse_ = std::make_unique<SparseFactor>();
    sparse_->size = size;
  }
  clear();
}

SymmetricFactor::~SymmetricFactor() = default;

bool SymmetricFactor::is_dense() const { return dense_ != nullptr; }

void SymmetricFactor::clear() {
  if (dense_) {
    dense_->matrix.setZero();
  } else {
    sparse_->entries.clear();
  }
}

void SymmetricFactor::add(Index row, Index column, double value) {
  if (dense_) {
    dense_->matrix(row, column) += value;
  } else {
    sparse_->entries.emplace_back(static_cast<int>(row), static_cast<int>(column), value);
  }
}

void SymmetricFactor::factorise() {
  if (sparse_) {
    Eigen::SparseMatrix<double> matrix(sparse_->size, sparse_->size);
    matrix.setFromTriplets(sparse_->entries.begin(), sparse_->entries.end());
    if (!sparse_->analysed) sparse_->factor.analyzePattern(matrix);
    sparse_->analysed = true;
    sparse_->factor.factorize(matrix);
    return;
  }
  // Where rounding has left a nearly singular matrix indefinite, a little more on the diagonal mends it; what that does
  // to an answer, refinement removes.
  auto& [matrix, factor] = *dense_;
  factor.compute(matrix);
  double shift = 1e-13 * matrix.diagonal().cwiseAbs().maxCoeff();
  for (int round = 0; round < 10 && factor.info() != Eigen::Success; ++round, shift *= 10) {
    matrix.diagonal().array() += shift;
    factor.compute(matrix);
  }
}

Matrix SymmetricFactor::solve(const Matrix& b) const {
  if (dense_) return dense_->factor.solve(b);
  return sparse_->factor.solve(b);
}

}  // namespace gtvmin
