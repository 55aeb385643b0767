#include "gtvmin/second_order/symmetric_factor.h"

#include <Eigen/Cholesky>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace gtvmin {

struct SymmetricFactor::Dense {
  Matrix matrix;
  Eigen::LLT<Matrix> factor;
};

/// Rows and columns in the order in which they are eliminated. The first matrix is collected as triplets; of later ones
/// it is known where each entry goes.
struct SymmetricFactor::SparseFactor {
  Eigen::PermutationMatrix<Eigen::Dynamic> order;
  std::vector<Eigen::Triplet<double>> triplets;
  Eigen::SparseMatrix<double> matrix;
  std::vector<int> places;  // among the values of the matrix, in the order of the triplets
  std::size_t next_place = 0;
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>, Eigen::Lower, Eigen::NaturalOrdering<int>> factor;

  void assemble() {
    matrix.setFromTriplets(triplets.begin(), triplets.end());
    places.reserve(triplets.size());
    for (const auto& triplet : triplets) {
      const int* const rows = matrix.innerIndexPtr();
      const int* const begin = rows + matrix.outerIndexPtr()[triplet.col()];
      const int* const end = rows + matrix.outerIndexPtr()[triplet.col() + 1];
      places.push_back(static_cast<int>(std::lower_bound(begin, end, triplet.row()) - rows));
    }
    triplets = {};
    factor.analyzePattern(matrix);
  }
};

SymmetricFactor::SymmetricFactor(NodeId nodes, Index dimension, Elimination plan) {
  constexpr double kFilled = 0.15;  // of the square
  const Index size = nodes * dimension;
  const auto d = static_cast<double>(dimension);
  if (may_be_dense(size) && plan.entries * d * d > kFilled * static_cast<double>(size) * static_cast<double>(size)) {
    dense_ = std::make_unique<Dense>();
    dense_->matrix.resize(size, size);
  } else {
    if (plan.turn.empty()) {
      plan.turn.resize(nodes);
      std::iota(plan.turn.begin(), plan.turn.end(), 0);
    }
    sparse_ = std::make_unique<SparseFactor>();
    sparse_->order.resize(size);
    for (Index row = 0; row < size; ++row) {
      sparse_->order.indices()[row] = static_cast<int>(plan.turn[row / dimension] * dimension + row % dimension);
    }
    sparse_->matrix.resize(size, size);
  }
  clear();
}

SymmetricFactor::~SymmetricFactor() = default;

bool SymmetricFactor::is_dense() const { return dense_ != nullptr; }

void SymmetricFactor::clear() {
  if (dense_) {
    dense_->matrix.setZero();
    return;
  }
  std::fill_n(sparse_->matrix.valuePtr(), sparse_->matrix.nonZeros(), 0.0);
  sparse_->next_place = 0;
}

void SymmetricFactor::add(Index row, Index column, double value) {
  if (dense_) {
    dense_->matrix(std::max(row, column), std::min(row, column)) += value;
  } else if (!sparse_->places.empty()) {
    sparse_->matrix.valuePtr()[sparse_->places[sparse_->next_place++]] += value;
  } else {
    const int a = sparse_->order.indices()[row];
    const int b = sparse_->order.indices()[column];
    sparse_->triplets.emplace_back(std::max(a, b), std::min(a, b), value);
  }
}

void SymmetricFactor::factorise() {
  if (sparse_) {
    if (sparse_->places.empty()) sparse_->assemble();
    sparse_->factor.factorize(sparse_->matrix);
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
  const Matrix ordered = sparse_->order * b;
  return sparse_->order.inverse() * Matrix(sparse_->factor.solve(ordered));
}

}  // namespace gtvmin
