#include "gtvmin/similarity/gaussian.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

namespace gtvmin {
namespace {

std::vector<Gaussian> fit_nodes(const Dataset& dataset) {
  std::vector<Gaussian> fits;
  fits.reserve(dataset.nodes());
  for (NodeId i = 0; i < dataset.nodes(); ++i) {
    fits.push_back(fit_gaussian(dataset.features.middleCols(dataset.first_sample[i], dataset.samples_of(i))));
  }
  return fits;
}

double mean_variance(const std::vector<Gaussian>& fits) {
  double sum = 0;
  for (const Gaussian& fit : fits) sum += fit.covariance.trace() / static_cast<double>(fit.mean.size());
  return sum / static_cast<double>(fits.size());
}

/// The divergence from the inverse covariances, which a node has once for all its pairs.
double divergence(const Gaussian& p, const Matrix& p_inverse, const Gaussian& q, const Matrix& q_inverse) {
  const Vector shift = p.mean - q.mean;
  const double traces = (q_inverse.array() * p.covariance.array()).sum() +
                        (p_inverse.array() * q.covariance.array()).sum() - 2 * static_cast<double>(shift.size());
  return std::max(0.0, (traces + shift.dot(p_inverse * shift) + shift.dot(q_inverse * shift)) / 4);
}

Matrix inverse(const Matrix& covariance) {
  return covariance.llt().solve(Matrix::Identity(covariance.rows(), covariance.cols()));
}

/// Some F with F Fᵀ = Σ, with only as many columns as Σ has rank.
Matrix factor(const Matrix& covariance) {
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(covariance);
  const Vector& values = eigen.eigenvalues();
  const double negligible = 1e-15 * std::max(values[values.size() - 1], 0.0);
  const Index rank = (values.array() > negligible).count();
  return eigen.eigenvectors().rightCols(rank) * values.tail(rank).cwiseSqrt().asDiagonal();
}

/// tr (Σ_p^½ Σ_q Σ_p^½)^½ is the sum of the singular values of F_pᵀF_q.
double wasserstein(const Gaussian& p, const Matrix& p_factor, const Gaussian& q, const Matrix& q_factor) {
  double overlap = 0;
  if (p_factor.cols() > 0 && q_factor.cols() > 0) {
    overlap = Eigen::BDCSVD<Matrix>(p_factor.transpose() * q_factor).singularValues().sum();
  }
  const double spread = p.covariance.trace() + q.covariance.trace() - 2 * overlap;
  return std::sqrt((p.mean - q.mean).squaredNorm() + std::max(0.0, spread));
}

/// What all pairs of a node share, computed once for each.
template <class Function>
Result<std::vector<Matrix>> for_each_covariance(const std::vector<Gaussian>& fits, const SimilarityContext& context,
                                                Function function) {
  std::vector<Matrix> matrices(fits.size());
  const auto apply = [&](int /*worker*/, Index i) { matrices[i] = function(fits[i].covariance); };
  const auto count = static_cast<Index>(fits.size());
  if (const Status done = for_each_item(context, "covariances", count, 1, apply); !done) return done.error();
  return matrices;
}

}  // namespace

Gaussian fit_gaussian(ConstMatrixRef samples) {
  Gaussian fit;
  fit.mean = samples.rowwise().mean();
  const Matrix centred = samples.colwise() - fit.mean;
  fit.covariance.setZero(samples.rows(), samples.rows());
  fit.covariance.selfadjointView<Eigen::Lower>().rankUpdate(centred, 1 / static_cast<double>(samples.cols()));
  fit.covariance = Matrix(fit.covariance.selfadjointView<Eigen::Lower>());
  return fit;
}

double gaussian_divergence(const Gaussian& p, const Gaussian& q) {
  return divergence(p, inverse(p.covariance), q, inverse(q.covariance));
}

double gaussian_wasserstein(const Gaussian& p, const Gaussian& q) {
  return wasserstein(p, factor(p.covariance), q, factor(q.covariance));
}

Result<NodeDistances> divergences_between_gaussians(const Dataset& dataset, double ridge,
                                                    const SimilarityContext& context) {
  std::vector<Gaussian> fits = fit_nodes(dataset);
  const double added = ridge * mean_variance(fits);
  if (!(added > 0)) {
    return bad_input(
        "within every node all features are constant, so the normal distributions have no density; use the metric "
        "gaussian-wasserstein or euclidean");
  }
  for (Gaussian& fit : fits) fit.covariance.diagonal().array() += added;
  const Result<std::vector<Matrix>> inverses = for_each_covariance(fits, context, inverse);
  if (!inverses) return inverses.error();
  Result<Matrix> matrix = all_pairs(context, dataset.nodes(), [&](int /*worker*/, NodeId i, NodeId j) {
    return divergence(fits[i], (*inverses)[i], fits[j], (*inverses)[j]);
  });
  if (!matrix) return matrix.error();
  return NodeDistances::from_matrix(*std::move(matrix));
}

Result<NodeDistances> wasserstein_between_gaussians(const Dataset& dataset, const SimilarityContext& context) {
  const std::vector<Gaussian> fits = fit_nodes(dataset);
  const Result<std::vector<Matrix>> factors = for_each_covariance(fits, context, factor);
  if (!factors) return factors.error();
  Result<Matrix> matrix = all_pairs(context, dataset.nodes(), [&](int /*worker*/, NodeId i, NodeId j) {
    return wasserstein(fits[i], (*factors)[i], fits[j], (*factors)[j]);
  });
  if (!matrix) return matrix.error();
  return NodeDistances::from_matrix(*std::move(matrix));
}

}  // namespace gtvmin
