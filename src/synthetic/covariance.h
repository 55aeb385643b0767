#pragma once

#include "gtvmin/base/result.h"
#include "gtvmin/base/rng.h"
#include "gtvmin/base/types.h"

namespace gtvmin {

/// Draws from N(0, C), with the same bits on every machine.
class CorrelatedNormal {
 public:
  /// C = I.
  explicit CorrelatedNormal(Index dimension) : dimension_(dimension) {}
  /// Fails with a usage error on a matrix that is not square of this dimension, symmetric, positive semidefinite.
  static Result<CorrelatedNormal> make(Index dimension, const Matrix& covariance);

  void draw(Rng& rng, VectorRef x) const;

 private:
  Index dimension_;
  /// Lower triangular, C = factor·factorᵀ; empty for the identity.
  Matrix factor_;
};

}  // namespace gtvmin
