#include "gtvmin/theory/norm_constants.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <variant>

namespace gtvmin {
namespace {

/// Up to this dimension maxima over sign vectors are enumerated (2^11 of them); beyond it they are bounded.
constexpr Index kMostSignRows = 12;
/// Rounding of a sum of d² products, with a wide margin.
constexpr double kSumRounding = 1e-12;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// At least max over s ∈ {±1}^d of sᵀMs, M symmetric positive semidefinite. Neighbours in a Gray code differ by one
/// sign.
double largest_sign_form(const Matrix& m) {
  const Index d = m.rows();
  if (d > kMostSignRows) return m.cwiseAbs().sum();
  Vector s = Vector::Ones(d);
  Vector image = m.rowwise().sum();
  double value = image.sum();
  double largest = value;
  const unsigned codes = 1U << (d - 1);  // s and −s have the same value
  for (unsigned code = 1; code < codes; ++code) {
    Index flipped = 0;
    while (((code >> flipped) & 1U) == 0) ++flipped;
    value += 4 * (m(flipped, flipped) - s[flipped] * image[flipped]);
    image -= 2 * s[flipped] * m.col(flipped);
    s[flipped] = -s[flipped];
    largest = std::max(largest, value);
  }
  return largest + kSumRounding * m.cwiseAbs().sum();
}

double largest_eigenvalue(const Matrix& m) {
  if (m.rows() == 1) return m(0, 0);
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(m, Eigen::EigenvaluesOnly);
  const double largest = std::max(0.0, solver.eigenvalues().maxCoeff());
  return largest * (1 + 4 * static_cast<double>(m.rows()) * kEpsilon);
}

double largest_row_sum(const Matrix& m) { return m.cwiseAbs().rowwise().sum().maxCoeff() * (1 + kSumRounding); }
double largest_column_sum(const Matrix& m) { return m.cwiseAbs().colwise().sum().maxCoeff() * (1 + kSumRounding); }

double spectral_norm(const Matrix& m) { return std::sqrt(largest_eigenvalue(m.transpose() * m)) * (1 + kSumRounding); }

double spectral_norm_bound(const Matrix& m) {
  return std::min(m.norm() * (1 + kSumRounding), std::sqrt(largest_row_sum(m) * largest_column_sum(m)));
}

bool is_l2(const Penalty& penalty) { return std::holds_alternative<L2Penalty>(penalty); }
bool is_l1(const Penalty& penalty) { return std::holds_alternative<L1Penalty>(penalty); }

}  // namespace

double norm_of(const Penalty& penalty, ConstVectorRef v) {
  return std::visit([&](const auto& p) { return p.value(v.data(), v.size()); }, penalty);
}

double dual_norm_of(const Penalty& penalty, ConstVectorRef u) {
  assert(is_norm(penalty));
  return is_l2(penalty) ? u.norm() : is_l1(penalty) ? u.cwiseAbs().maxCoeff() : u.cwiseAbs().sum();
}

double smoothness_constant(const Penalty& penalty, const Matrix& hessian) {
  assert(is_norm(penalty));
  if (is_l2(penalty)) return largest_eigenvalue(hessian);
  if (is_l1(penalty)) return hessian.diagonal().maxCoeff();
  const double signs = largest_sign_form(hessian);
  return hessian.rows() <= kMostSignRows
             ? signs
             : std::min(signs, static_cast<double>(hessian.rows()) * largest_eigenvalue(hessian));
}

SpectralInverse spectral_inverse(const Matrix& hessian) {
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(hessian);
  const Vector& eigenvalues = solver.eigenvalues();
  SpectralInverse result;
  result.largest = std::max(0.0, eigenvalues.maxCoeff());
  const double rounding = eigenvalue_rounding(result.largest, hessian.rows());
  result.least = std::max(0.0, eigenvalues.minCoeff() - rounding);
  Vector inverted = Vector::Zero(eigenvalues.size());
  double least_kept = result.largest;
  for (Index k = 0; k < eigenvalues.size(); ++k) {
    if (eigenvalues[k] <= 4 * rounding) continue;
    inverted[k] = 1 / eigenvalues[k];
    least_kept = std::min(least_kept, eigenvalues[k]);
  }
  if ((inverted.array() == 0).any()) result.least = 0;
  result.inverse = solver.eigenvectors() * inverted.asDiagonal() * solver.eigenvectors().transpose();
  result.error = result.largest > 0 ? kSumRounding + 4 * rounding / least_kept : 0;
  return result;
}

double strong_convexity_constant(const Penalty& penalty, const SpectralInverse& hessian) {
  assert(is_norm(penalty));
  if (hessian.least <= 0) return 0;
  if (is_l2(penalty)) return hessian.least;
  const double largest = is_l1(penalty) ? largest_sign_form(hessian.inverse) : hessian.inverse.diagonal().maxCoeff();
  return (1 - std::min(1.0, hessian.error)) / largest;
}

double dual_operator_norm(const Penalty& penalty, const Matrix& m) {
  return is_l2(penalty) ? spectral_norm(m) : dual_operator_norm_bound(penalty, m);
}

double dual_operator_norm_bound(const Penalty& penalty, const Matrix& m) {
  assert(is_norm(penalty));
  if (is_l2(penalty)) return spectral_norm_bound(m);
  return is_l1(penalty) ? largest_row_sum(m) : largest_column_sum(m);
}

}  // namespace gtvmin
