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

QuadraticLoss::QuadraticLoss(ConstMatrixRef basis, ConstVectorRef eigenvalues, double floor, ConstVectorRef minimiser,
                             double minimum, Samples samples)
    : numbers_(minimiser.size() + eigenvalues.size() + basis.size()),
      dimension_(minimiser.size()),
      minimum_(minimum),
      trivial_(floor == 0 && eigenvalues.size() == 0 && minimum == 0) {
  const Index rank = eigenvalues.size();
  double* eigenvalues_here = numbers_.data() + dimension_;
  double* basis_here = eigenvalues_here + rank;
  numbers_.head(dimension_) = minimiser;
  numbers_.segment(dimension_, rank) = eigenvalues;
  Eigen::Map<Matrix>(basis_here, dimension_, rank) = basis;
  form_ = {numbers_.data(), eigenvalues_here, basis_here, rank, floor};
  samples_ = std::move(samples);
  sample_form_ = {.link = Link::kSquared,
                  .dimension = dimension_,
                  .samples = samples_.labels.size(),
                  .features = samples_.features.data(),
                  .labels = samples_.labels.data(),
                  .weight = samples_.weight,
                  .stiffness = samples_.stiffness.size() > 0 ? samples_.stiffness.data() : nullptr,
                  .centre = samples_.centre.size() > 0 ? samples_.centre.data() : nullptr,
                  .constant = samples_.constant};
}

QuadraticLoss::Samples QuadraticLoss::samples_of(const Matrix& basis, const Vector& eigenvalues, double floor,
                                                 const Vector& minimiser, double minimum) {
  Samples samples;
  samples.features = basis * ((eigenvalues.array() - floor).max(0) / 2).sqrt().matrix().asDiagonal();
  samples.labels = samples.features.transpose() * minimiser;
  if (floor > 0) {
    samples.stiffness = Vector::Constant(minimiser.size(), floor / 2);
    samples.centre = minimiser;
  }
  samples.constant = minimum;
  return samples;
}

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
      scale * (features.transpose() * minimiser - labels).squaredNorm() + ridge.cwiseProduct(minimiser).dot(minimiser);
  Samples samples{features, labels, scale, ridge.isZero(0) ? Vector() : Vector(ridge), Vector(), 0};
  return LossPtr(new QuadraticLoss(basis, eigenvalues, floor, minimiser, minimum, std::move(samples)));
}

LossPtr QuadraticLoss::points(ConstMatrixRef points, double scale, double ridge) {
  const double weight = scale * static_cast<double>(points.cols());
  Vector minimiser = scale * points.rowwise().sum() / (weight + ridge);
  const double minimum = scale * (points.colwise() - minimiser).squaredNorm() + ridge * minimiser.squaredNorm();
  const Matrix none(points.rows(), 0);
  const double floor = 2 * (weight + ridge);
  return LossPtr(new QuadraticLoss(none, Vector(0), floor, minimiser, minimum,
                                   samples_of(none, Vector(0), floor, minimiser, minimum)));
}

LossPtr QuadraticLoss::from_hessian(const Matrix& hessian, const Vector& minimiser, double minimum) {
  auto [basis, eigenvalues] = eigen_form(hessian);
  return LossPtr(new QuadraticLoss(basis, eigenvalues, 0, minimiser, minimum,
                                   samples_of(basis, eigenvalues, 0, minimiser, minimum)));
}

LossPtr QuadraticLoss::zero(Index dimension) {
  const Matrix none(dimension, 0);
  const Vector origin = Vector::Zero(dimension);
  return LossPtr(new QuadraticLoss(none, Vector(0), 0, origin, 0, samples_of(none, Vector(0), 0, origin, 0)));
}

LossPtr QuadraticLoss::sum(std::span<const LocalLoss* const> losses) {
  const Index d = losses.front()->dimension();
  const Vector zero = Vector::Zero(d);
  Matrix hessian = Matrix::Zero(d, d);
  double floor = 0;
  Index rank = 0;
  for (const LocalLoss* loss : losses) {
    floor += loss->quadratic_form()->floor;
    rank += loss->quadratic_form()->rank;
  }
  Matrix basis(d, 0);
  Vector eigenvalues(0);
  if (rank > 0) {
    for (const LocalLoss* loss : losses) loss->add_hessian(zero, hessian);
    std::tie(basis, eigenvalues) = eigen_form(hessian);
    floor = 0;
  }
  const auto solve = [&](const Vector& pull) -> Vector {
    if (rank > 0) return basis * (basis.transpose() * pull).cwiseQuotient(eigenvalues);
    return floor > 0 ? Vector(pull / floor) : zero;
  };
  Vector minimiser = zero;
  Vector gradient(d);
  for (int round = 0; round < 2; ++round) {  // the second removes what rounding left
    Vector pull = zero;
    for (const LocalLoss* loss : losses) {
      loss->gradient(minimiser, gradient);
      pull -= gradient;
    }
    minimiser += solve(pull);
  }
  double minimum = 0;
  for (const LocalLoss* loss : losses) minimum += loss->value(minimiser);
  return LossPtr(new QuadraticLoss(basis, eigenvalues, floor, minimiser, minimum,
                                   samples_of(basis, eigenvalues, floor, minimiser, minimum)));
}

template <class Expression>
double QuadraticLoss::half_form_of(const Expression& q) const {
  constexpr Index kFew = 64;  // with more, an allocation is a small part of the work
  if (dimension_ > kFew) return half_form(form_, Vector(q).data(), dimension_);
  double numbers[kFew];
  Eigen::Map<Vector>(numbers, dimension_) = q;
  return half_form(form_, numbers, dimension_);
}

double QuadraticLoss::value(ConstVectorRef w) const { return static_cast<double>(sample_loss(sample_form_, w.data())); }

void QuadraticLoss::gradient(ConstVectorRef w, VectorRef g) const {
  const Vector q = w - minimiser();
  apply_hessian(w, q, g);
}

void QuadraticLoss::apply_hessian(ConstVectorRef /*w*/, ConstVectorRef p, VectorRef out) const {
  out = form_.floor * p;
  for (Index k = 0; k < form_.rank; ++k) {
    const double along = inner_product(form_.basis + k * dimension_, p.data(), dimension_);
    out += (form_.eigenvalues[k] - form_.floor) * along * basis().col(k);
  }
}

void QuadraticLoss::prox(ConstVectorRef v, double rho, double /*tolerance*/, VectorRef z, VectorRef scratch) const {
  quadratic_prox(form_, v.data(), dimension_, rho, z.data(), scratch.data());
}

void QuadraticLoss::add_hessian(ConstVectorRef /*w*/, MatrixRef hessian) const {
  hessian.noalias() += basis() * (eigenvalues().array() - form_.floor).matrix().asDiagonal() * basis().transpose();
  hessian.diagonal().array() += form_.floor;
}

void QuadraticLoss::solve_hessian(ConstVectorRef /*w*/, ConstVectorRef r, VectorRef out) const {
  // H⁺ = U diag(1/λ) Uᵀ + (1/µ)(I − UUᵀ), without the second part where µ is 0.
  const double beyond = form_.floor > 0 ? 1 / form_.floor : 0;
  out = beyond * r;
  for (Index k = 0; k < form_.rank; ++k) {
    const double along = inner_product(form_.basis + k * dimension_, r.data(), dimension_);
    out += (1 / form_.eigenvalues[k] - beyond) * along * basis().col(k);
  }
}

double QuadraticLoss::fenchel_young_bound(ConstVectorRef w, ConstVectorRef p, double theta) const {
  return half_form_of((1 - theta) * (w - minimiser()) - theta * p);
}

}  // namespace gtvmin
