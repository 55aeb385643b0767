#include "covariance.h"

#include <fmt/format.h>

#include <cmath>

namespace gtvmin {

// Cholesky in plain loops, because Eigen's order of additions depends on the machine. A pivot that is 0 up to rounding
// marks a direction without variance; in a semidefinite matrix the rest of its column is then 0 too, up to the root.
Result<CorrelatedNormal> CorrelatedNormal::make(Index dimension, const Matrix& covariance) {
  const Matrix& c = covariance;
  if (c.rows() != dimension || c.cols() != dimension) {
    return usage_error(fmt::format("covariance: {} × {} numbers for {} features", c.rows(), c.cols(), dimension));
  }
  if (!c.allFinite()) return usage_error("covariance: not every number is finite");
  if (c != c.transpose()) return usage_error("covariance: the matrix is not symmetric");
  const Error indefinite = usage_error("covariance: the matrix is not positive semidefinite");
  const double negligible = 1e-13 * static_cast<double>(dimension) * c.diagonal().cwiseAbs().maxCoeff();

  CorrelatedNormal result(dimension);
  Matrix& factor = result.factor_;
  factor = Matrix::Zero(dimension, dimension);
  const auto remainder = [&](Index i, Index j) {
    double rest = c(i, j);
    for (Index k = 0; k < j; ++k) rest -= factor(i, k) * factor(j, k);
    return rest;
  };
  for (Index j = 0; j < dimension; ++j) {
    const double pivot = remainder(j, j);
    if (pivot < -negligible) return indefinite;
    for (Index i = j + 1; i < dimension; ++i) {
      const double rest = remainder(i, j);
      if (pivot > negligible) {
        factor(i, j) = rest / std::sqrt(pivot);
      } else if (rest * rest > 4 * negligible * (c(i, i) + negligible)) {
        return indefinite;
      }
    }
    if (pivot > negligible) factor(j, j) = std::sqrt(pivot);
  }
  return result;
}

void CorrelatedNormal::draw(Rng& rng, VectorRef x) const {
  for (double& entry : x) entry = rng.normal();
  if (factor_.size() == 0) return;
  // From the last entry up, so that each one only reads entries that are still independent.
  for (Index i = dimension_ - 1; i >= 0; --i) {
    double sum = 0;
    for (Index k = 0; k <= i; ++k) sum += factor_(i, k) * x[k];
    x[i] = sum;
  }
}

}  // namespace gtvmin
