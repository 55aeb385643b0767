#include "gtvmin/loss/quadratic_loss.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace gtvmin {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();

struct ThinSvd {
  Matrix u;  // d × k, orthonormal
  Vector sigma;
};

/// The thin SVD X = U Σ Vᵀ without V, singular values at rounding level dropped. The Gram matrix of the smaller side is
/// several times cheaper than an SVD and is used where its squared condition number costs nothing.
ThinSvd thin_svd(ConstMatrixRef x) {
  if (x.cols() == 0) return {Matrix(x.rows(), 0), Vector(0)};
  const bool wide = x.cols() < x.rows();
  const Matrix gram = wide ? Matrix(x.transpose() * x) : Matrix(x * x.transpose());
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(gram);
  const double largest = eigen.eigenvalues().tail(1)[0];
  if (largest <= 0) return {Matrix(x.rows(), 0), Vector(0)};
  if (eigen.eigenvalues()[0] > 1e-6 * largest) {
    Vector sigma = eigen.eigenvalues().cwiseSqrt();
    if (!wide) return {eigen.eigenvectors(), std::move(sigma)};
    Matrix u = x * eigen.eigenvectors() * sigma.cwiseInverse().asDiagonal();
    return {std::move(u), std::move(sigma)};
  }
  const Eigen::JacobiSVD<Matrix, Eigen::ColPivHouseholderQRPreconditioner> svd(x, Eigen::ComputeThinU);
  const double negligible = 4 * static_cast<double>(std::max(x.rows(), x.cols())) * kEps * svd.singularValues()[0];
  const Index rank = (svd.singularValues().array() > negligible).count();
  return {svd.matrixU().leftCols(rank), svd.singularValues().head(rank)};
}

/// Eigenvalues and eigenvectors of a positive semidefinite matrix, those at rounding level dropped.
std::pair<Matrix, Vector> eigen_form(const Matrix& hessian) {
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(hessian);
  const double negligible = 4 * static_cast<double>(hessian.rows()) * kEps * eigen.eigenvalues().cwiseAbs().maxCoeff();
  const Index rank = (eigen.eigenvalues().array() > negligible).count();
  return {eigen.eigenvectors().rightCols(rank), eigen.eigenvalues().tail(rank)};
}

}  // namespace

QuadraticLoss::QuadraticLoss(Matrix basis, Vector eigenvalues, double floor, Vector minimiser, double minimum)
    : basis_(std::move(basis)),
      eigenvalues_(std::move(eigenvalues)),
      floor_(floor),
      minimiser_(std::move(minimiser)),
      minimum_(minimum),
      trivial_(floor_ == 0 && eigenvalues_.size() == 0 && minimum_ == 0) {}

LossPtr QuadraticLoss::least_squares(ConstMatrixRef features, ConstVectorRef labels, double scale,
                                     ConstVectorRef ridge) {
  const bool uniform_ridge = (ridge.array() == ridge[0]).all();
  Matrix basis;
  Vector eigenvalues;
  double floor = 0;
  if (uniform_ridge) {
    auto [u, sigma] = thin_svd(features);
    floor = 2 * ridge[0];
    eigenvalues = (2 * scale * sigma.array().square() + floor).matrix();
    basis = std::move(u);
  } else {
    Matrix hessian = 2 * scale * (features * features.transpose());
    hessian.diagonal() += 2 * ridge;
    std::tie(basis, eigenvalues) = eigen_form(hessian);
  }
  // The second round removes what the eigenform's rounding left of the gradient at the first minimiser.
  Vector minimiser = Vector::Zero(features.rows());
  for (int round = 0; round < 2; ++round) {
    const Vector residual = labels - features.transpose() * minimiser;
    const Vector pull = 2 * scale * (features * residual) - 2 * ridge.cwiseProduct(minimiser);
    minimiser += basis * (basis.transpose() * pull).cwiseQuotient(eigenvalues);
  }
  const double minimum =
      scale * (features.transpose() * minimiser - labels).squaredNorm() + minimiser.cwiseAbs2().dot(ridge);
  return LossPtr(new QuadraticLoss(std::move(basis), std::move(eigenvalues), floor, std::move(minimiser), minimum));
}

LossPtr QuadraticLoss::points(ConstMatrixRef points, double scale, double ridge) {
  const double weight = scale * static_cast<double>(points.cols());
  Vector minimiser = scale * points.rowwise().sum() / (weight + ridge);
  const double minimum = scale * (points.colwise() - minimiser).squaredNorm() + ridge * minimiser.squaredNorm();
  return LossPtr(
      new QuadraticLoss(Matrix(points.rows(), 0), Vector(0), 2 * (weight + ridge), std::move(minimiser), minimum));
}

LossPtr QuadraticLoss::from_hessian(const Matrix& hessian, const Vector& minimiser, double minimum) {
  auto [basis, eigenvalues] = eigen_form(hessian);
  return LossPtr(new QuadraticLoss(std::move(basis), std::move(eigenvalues), 0, minimiser, minimum));
}

LossPtr QuadraticLoss::zero(Index dimension) {
  return LossPtr(new QuadraticLoss(Matrix(dimension, 0), Vector(0), 0, Vector::Zero(dimension), 0));
}

// Uses that ½qᵀHq = ½Σ_k (λ_k − µ)(u_kᵀq)² + ½µ‖q‖² with λ_k ≥ µ, column by column so that nothing is allocated.
template <class Expression>
double QuadraticLoss::half_form(const Expression& q) const {
  double form = floor_ == 0 ? 0 : floor_ * q.squaredNorm();
  for (Index k = 0; k < eigenvalues_.size(); ++k) {
    const double along = basis_.col(k).dot(q);
    form += (eigenvalues_[k] - floor_) * along * along;
  }
  return form / 2;
}

double QuadraticLoss::value(ConstVectorRef w) const { return minimum_ + half_form(w - minimiser_); }

void QuadraticLoss::gradient(ConstVectorRef w, VectorRef g) const {
  const Vector q = w - minimiser_;
  const Vector along = basis_.transpose() * q;
  g = floor_ * q + basis_ * ((eigenvalues_.array() - floor_) * along.array()).matrix();
}

// (H + ρ)z = Hw₀ + ρv, written as a step from v towards w₀ so that flat directions keep v to the last bit.
void QuadraticLoss::prox(ConstVectorRef v, double rho, double /*tolerance*/, VectorRef z, VectorRef scratch) const {
  auto q = scratch.head(dimension());
  auto along = scratch.tail(eigenvalues_.size());
  q = minimiser_ - v;
  along.noalias() = basis_.transpose() * q;
  const double base = floor_ / (floor_ + rho);
  along.array() *= eigenvalues_.array() / (eigenvalues_.array() + rho) - base;
  z = v + base * q;
  z.noalias() += basis_ * along;
}

void QuadraticLoss::add_hessian(ConstVectorRef /*w*/, MatrixRef hessian) const {
  hessian.noalias() += basis_ * (eigenvalues_.array() - floor_).matrix().asDiagonal() * basis_.transpose();
  hessian.diagonal().array() += floor_;
}

void QuadraticLoss::solve_hessian(ConstVectorRef /*w*/, ConstVectorRef r, VectorRef out) const {
  const Vector along = basis_.transpose() * r;
  out = basis_ * along.cwiseQuotient(eigenvalues_);
  if (floor_ > 0) out += (r - basis_ * along) / floor_;
}

double QuadraticLoss::fenchel_young_bound(ConstVectorRef w, ConstVectorRef p, double theta) const {
  return half_form((1 - theta) * (w - minimiser_) - theta * p);
}

}  // namespace gtvmin
