#pragma once

#include <memory>

#include "gtvmin/base/types.h"

namespace gtvmin {

/// A Cholesky factorisation of a symmetric, positive definite matrix that is given entry by entry. Dense where the
/// factor fills in and is small, because arithmetic on whole blocks is several times faster; else sparse.
class SymmetricFactor {
 public:
  /// `entries`: about how many entries the factor has, see cholesky_entries.
  SymmetricFactor(Index size, double entries);
  SymmetricFactor(const SymmetricFactor&) = delete;
  SymmetricFactor& operator=(const SymmetricFactor&) = delete;
  ~SymmetricFactor();

  [[nodiscard]] static bool may_be_dense(Index size) { return size <= 2000; }
  [[nodiscard]] bool is_dense() const;
  /// Starts a matrix of zeros; the pattern must be the same every time.
  void clear();
  /// Adds to an entry on the diagonal or below it.
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
