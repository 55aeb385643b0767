#include "gtvmin/loss/graphical_loss.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace gtvmin {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Of eigenvalues that a prox gives: their squares are finite.
constexpr double kLargestRoot = 1e150;

double log_determinant(const Eigen::LLT<Matrix>& factor) {
  return 2 * factor.matrixLLT().diagonal().array().log().sum();
}

double off_diagonal_sum(const Matrix& theta) { return theta.cwiseAbs().sum() - theta.diagonal().cwiseAbs().sum(); }

}  // namespace

void pack_symmetric(ConstMatrixRef matrix, VectorRef packed) {
  Index at = 0;
  for (Index k = 0; k < matrix.cols(); ++k) {
    for (Index j = 0; j < k; ++j) packed[at++] = std::numbers::sqrt2 * matrix(j, k);
    packed[at++] = matrix(k, k);
  }
}

Matrix unpack_symmetric(ConstVectorRef packed, Index order) {
  Matrix matrix(order, order);
  Index at = 0;
  for (Index k = 0; k < order; ++k) {
    for (Index j = 0; j < k; ++j) matrix(j, k) = matrix(k, j) = packed[at++] / std::numbers::sqrt2;
    matrix(k, k) = packed[at++];
  }
  return matrix;
}

GraphicalLoss::GraphicalLoss(ConstMatrixRef covariance, double scale, double ridge, double sparsity)
    : covariance_(covariance), scale_(scale), ridge_(ridge), sparsity_(sparsity), lower_bound_(-kInfinity) {
  const Eigen::LLT<Matrix> factor(covariance_);
  if (factor.info() != Eigen::Success || !(factor.rcond() > 1e-14)) return;
  lower_bound_ = scale_ * (static_cast<double>(order()) + log_determinant(factor));
}

LossPtr GraphicalLoss::make(ConstMatrixRef covariance, double scale, double ridge, double sparsity) {
  return LossPtr(new GraphicalLoss(covariance, scale, ridge, sparsity));
}

void GraphicalLoss::start(VectorRef w) const {
  const double usual = covariance_.diagonal().mean();
  const double floor = usual > 0 ? 1e-3 * usual : 1;
  pack_symmetric(Vector((covariance_.diagonal().array() + floor).inverse()).asDiagonal().toDenseMatrix(), w);
}

double GraphicalLoss::value(ConstVectorRef w) const {
  const Matrix theta = unpack_symmetric(w, order());
  const Eigen::LLT<Matrix> factor(theta);
  if (factor.info() != Eigen::Success) return kInfinity;
  return scale_ * (covariance_.cwiseProduct(theta).sum() - log_determinant(factor)) +
         (ridge_ > 0 ? ridge_ * w.squaredNorm() : 0) + (sparsity_ > 0 ? sparsity_ * off_diagonal_sum(theta) : 0);
}

void GraphicalLoss::gradient(ConstVectorRef w, VectorRef g) const {
  const Matrix theta = unpack_symmetric(w, order());
  const Eigen::LLT<Matrix> factor(theta);
  if (factor.info() != Eigen::Success) {
    g.setConstant(std::numeric_limits<double>::quiet_NaN());
    return;
  }
  Matrix gradient = scale_ * (covariance_ - factor.solve(Matrix::Identity(order(), order())));
  if (sparsity_ > 0) {
    Matrix signs = theta.cwiseSign();
    signs.diagonal().setZero();
    gradient += sparsity_ * signs;
  }
  pack_symmetric(gradient, g);
  g += 2 * ridge_ * w;
}

Matrix GraphicalLoss::smooth_prox(const Matrix& pull, double rho) const {
  const double weight = rho + 2 * ridge_;
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(pull - scale_ * covariance_);
  // weight·θ − scale/θ = m, the root > 0, without cancellation; hypot, because m² can overflow and underflow.
  const double middle = 2 * std::sqrt(scale_) * std::sqrt(weight);
  const Vector roots = eigen.eigenvalues().unaryExpr([&](double m) {
    const double root = std::hypot(m, middle);
    return std::min(m > 0 ? (m + root) / (2 * weight) : 2 * scale_ / (root - m), kLargestRoot);
  });
  return eigen.eigenvectors() * roots.asDiagonal() * eigen.eigenvectors().transpose();
}

// max over |Z_jk| ≤ sparsity, Z_jj = 0, of q(Z) = min over Θ of the smooth part + ⟨Z, Θ⟩ + (ρ/2)‖Θ − V‖²: its gradient
// is Θ. Accelerated, with steps as long as the local curvature of q allows, and restarted whenever momentum points
// downhill.
Matrix GraphicalLoss::sparse_prox(const Matrix& v, double rho, double tolerance) const {
  const Index p = order();
  const auto dual_value = [&](const Matrix& z, const Matrix& theta) {
    const double log_det = log_determinant(Eigen::LLT<Matrix>(theta));
    return scale_ * (covariance_.cwiseProduct(theta).sum() - log_det) + ridge_ * theta.squaredNorm() +
           z.cwiseProduct(theta).sum() + rho / 2 * (theta - v).squaredNorm();
  };
  Matrix z = Matrix::Zero(p, p);
  Matrix z_momentum = z;
  Matrix theta = smooth_prox(rho * v, rho);
  const double widest = theta.norm();
  double length = rho + 2 * ridge_ + scale_ / widest / widest;
  if (!std::isfinite(length) || !(length > 0)) return theta;  // ρ or v are beyond what can be squared
  double momentum = 1;
  constexpr int kMostSteps = 2000;
  constexpr int kMostHalvings = 60;       // of one line search
  constexpr int kMostEvaluations = 6000;  // of q, over all line searches
  int evaluations = 0;
  for (int k = 0; k < kMostSteps && evaluations < kMostEvaluations; ++k) {
    theta = smooth_prox(rho * v - z_momentum, rho);
    const double value = dual_value(z_momentum, theta);
    Matrix next;
    Matrix move;
    if (!std::isfinite(value)) break;
    length *= 1.5;
    for (int halving = 0; halving < kMostHalvings; ++halving, length /= 2) {
      ++evaluations;
      next = (z_momentum + length * theta).cwiseMax(-sparsity_).cwiseMin(sparsity_);
      next.diagonal().setZero();
      move = next - z_momentum;
      const double gain = theta.cwiseProduct(move).sum() - move.squaredNorm() / (2 * length);
      const double reached = dual_value(next, smooth_prox(rho * v - next, rho));
      if (reached >= value + gain - 1e-13 * std::abs(value) || length < rho) break;
    }
    const bool downhill = move.cwiseProduct(next - z).sum() < 0;
    if (downhill) momentum = 1;
    const double next_momentum = (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2;
    z_momentum = next + (downhill ? 0 : (momentum - 1) / next_momentum) * (next - z);
    z = std::move(next);
    momentum = next_momentum;
    const double missed = move.norm() * std::max(1.0, rho / length);
    if (missed <= std::max(0.1 * tolerance, 1e-14 * (sparsity_ + rho * v.norm()))) break;
  }
  theta = smooth_prox(rho * v - z, rho);
  if (!theta.allFinite()) return smooth_prox(rho * v, rho);
  // An entry whose dual variable has room left is 0 at the prox.
  Matrix sparse = theta;
  for (Index k = 0; k < p; ++k) {
    for (Index j = 0; j < p; ++j) {
      if (j != k && std::abs(z(j, k)) < (1 - 1e-9) * sparsity_) sparse(j, k) = 0;
    }
  }
  const bool still_definite = Eigen::LLT<Matrix>(sparse).info() == Eigen::Success;
  return still_definite ? sparse : theta;
}

void GraphicalLoss::prox(ConstVectorRef v, double rho, double tolerance, VectorRef z, VectorRef /*scratch*/) const {
  const Matrix point = unpack_symmetric(v, order());
  pack_symmetric(sparsity_ > 0 ? sparse_prox(point, rho, tolerance) : smooth_prox(rho * point, rho), z);
}

// ∇²L[P] = scale · Θ⁻¹PΘ⁻¹ + 2 ridge P, written in packed coordinates.
void GraphicalLoss::add_hessian(ConstVectorRef w, MatrixRef hessian) const {
  if (sparsity_ > 0) return;
  const Index p = order();
  const Matrix inverse = unpack_symmetric(w, p).llt().solve(Matrix::Identity(p, p));
  const auto weight = [](Index j, Index k) { return j == k ? std::numbers::sqrt2 / 2 : 1; };
  Index column = 0;
  for (Index k = 0; k < p; ++k) {
    for (Index j = 0; j <= k; ++j, ++column) {
      Index row = 0;
      for (Index b = 0; b < p; ++b) {
        for (Index a = 0; a <= b; ++a, ++row) {
          hessian(row, column) +=
              scale_ * weight(a, b) * weight(j, k) * (inverse(a, j) * inverse(b, k) + inverse(a, k) * inverse(b, j));
        }
      }
    }
  }
  hessian.diagonal().array() += 2 * ridge_;
}

void GraphicalLoss::solve_hessian(ConstVectorRef w, ConstVectorRef r, VectorRef out) const {
  out.setZero();
  if (sparsity_ > 0) return;
  if (ridge_ == 0) {
    const Matrix theta = unpack_symmetric(w, order());
    pack_symmetric(theta * unpack_symmetric(r, order()) * theta / scale_, out);
    return;
  }
  Matrix hessian = Matrix::Zero(dimension(), dimension());
  add_hessian(w, hessian);
  out = hessian.llt().solve(r);
}

// With Θ = LLᵀ and the target Y of the likelihood's part, FY = Σ (µ − 1 − log µ) over the eigenvalues µ of
// Lᵀ(S − Y/scale)L = (1 − θ)LᵀSL + θ(I − L⁻¹PL⁻ᵀ); the ridge's part misses by 2 ridge q.
double GraphicalLoss::fenchel_young_bound(ConstVectorRef w, ConstVectorRef p, double theta) const {
  if (sparsity_ > 0) return LocalLoss::fenchel_young_bound(w, p, theta);
  const Eigen::LLT<Matrix> factor(unpack_symmetric(w, order()));
  if (factor.info() != Eigen::Success) return kInfinity;
  const Matrix lower = factor.matrixL();
  Matrix scaled_step = factor.matrixL().solve(unpack_symmetric(p, order()));
  scaled_step = factor.matrixL().solve(scaled_step.transpose()).eval();
  // δ = µ − 1, so that nothing cancels where the target is near the gradient.
  Matrix off = -theta * scaled_step;
  if (theta < 1) {
    off += (1 - theta) * (lower.transpose() * covariance_ * lower - Matrix::Identity(order(), order()));
  }
  const Vector deltas = Eigen::SelfAdjointEigenSolver<Matrix>(off, Eigen::EigenvaluesOnly).eigenvalues();
  double sum = 0;
  for (const double delta : deltas) {
    if (!(delta > -1)) return kInfinity;
    sum += delta - std::log1p(delta);
  }
  return scale_ * std::max(0.0, sum) + ridge_ * ((1 - theta) * w - theta * p).squaredNorm();
}

}  // namespace gtvmin
