#include "gtvmin/similarity/embedding/pca.h"

#include <Eigen/Eigenvalues>
#include <cassert>

namespace gtvmin {
namespace {

/// The eigenvectors of A Aᵀ for its largest eigenvalues, largest first, and those eigenvalues.
struct Spectrum {
  Matrix vectors;
  Vector values;
};

Spectrum largest_of_gram(ConstMatrixRef a, Index count) {
  Matrix gram = Matrix::Zero(a.rows(), a.rows());
  gram.selfadjointView<Eigen::Lower>().rankUpdate(a);
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(gram);
  return {eigen.eigenvectors().rightCols(count).rowwise().reverse(), eigen.eigenvalues().tail(count).reverse()};
}

}  // namespace

Matrix principal_components(ConstMatrixRef points, Index dimension) {
  assert(dimension >= 1 && dimension <= std::min(points.rows(), points.cols()));
  const Matrix centred = points.colwise() - points.rowwise().mean();
  Matrix coordinates;
  if (points.rows() <= points.cols()) {
    coordinates = largest_of_gram(centred, dimension).vectors.transpose() * centred;
  } else {
    const Spectrum spectrum = largest_of_gram(centred.transpose(), dimension);
    coordinates = spectrum.values.cwiseMax(0).cwiseSqrt().asDiagonal() * spectrum.vectors.transpose();
  }
  for (Index k = 0; k < dimension; ++k) {
    Index largest = 0;
    coordinates.row(k).cwiseAbs().maxCoeff(&largest);
    if (coordinates(k, largest) < 0) coordinates.row(k) *= -1;
  }
  return coordinates;
}

}  // namespace gtvmin
