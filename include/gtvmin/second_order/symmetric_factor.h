#pragma once

#include <memory>

#include "gtvmin/base/types.h"
#include "gtvmin/second_order/elimination.h"

namespace gtvmin {

/// A Cholesky factorisation of a symmetric, positive definite matrix that is given entry by entry: one block of d rows
/// for each node of a graph. Dense where the factor fills in and is small, because arithmetic on whole blocks is
/// several times faster; else sparse.
class SymmetricFactor {
 public:
  SymmetricFactor(NodeId nodes, Index dimension, Elimination plan);
  SymmetricFactor(const SymmetricFactor&) = delete;
  SymmetricFactor& operator=(const SymmetricFactor&) = delete;
  ~SymmetricFactor();

  [[nodiscard]] static bool may_be_dense(Index size) { return size <= 2000; }
  [[nodiscard]] bool is_dense() const;
  /// Starts a matrix of zeros. Every time the same entries are added, in the same order.
  void clear();
  /// Adds to an entry on the diagonal, or to one beside it and its mirror image.
  void add(Index row, Index column, double value);
  void factorise();
  /// One right-hand side per column.
  [[nodiscard]] Matrix solve(const Matrix& b) const;

 private:
  struct Dense;
  struct SparseFactor;
  std::unique_ptr<Dense> dense_;
  std::unique_ptr<SparseFactor> sparse_;
};

}  // namespace gtvmin
