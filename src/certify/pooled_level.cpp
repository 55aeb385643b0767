#include "gtvmin/certify/pooled_level.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "gtvmin/base/double_double.h"
#include "gtvmin/certify/rounding.h"

namespace gtvmin {
namespace {

/// √W of a row, a power of two; 0 for one that bounds nothing.
double root_weight(const BoundedRow& row, double typical) {
  const double size = std::max(row.bound.at(typical), std::numeric_limits<double>::min());
  return std::isfinite(size) ? std::ldexp(1.0, -std::ilogb(size)) : 0;
}

}  // namespace

void PooledLevel::add_row(const BoundedRow& row, double typical, Index d, std::span<ExactSum> normal) {
  const double root = root_weight(row, typical);
  if (root == 0) return;
  std::size_t at = 0;
  for (Index b = 0; b < d; ++b) {
    const double along = root * row.entry(b);
    if (along == 0) {
      at += static_cast<std::size_t>(d - b);
      continue;
    }
    for (Index a = b; a < d; ++a, ++at) {
      const auto [product, rest] = DoubleDouble::exact_product(root * row.entry(a), along);
      if (product == 0) continue;
      normal[at].add(product);
      normal[at].add(rest);
    }
  }
}

std::optional<PooledLevel> PooledLevel::make(std::span<const long double> normal, Index d) {
  PooledLevel level;
  level.dimension_ = d;
  const auto diagonal = [&](Index j) { return normal[static_cast<std::size_t>(j * d - j * (j - 1) / 2)]; };
  for (Index j = 0; j < d; ++j) {
    // Smaller products would not be exact.
    constexpr long double kLeast = 1e-200L;
    if (!std::isfinite(diagonal(j)) || (diagonal(j) > 0 && diagonal(j) < kLeast)) return std::nullopt;
    if (diagonal(j) > 0) level.active_.push_back(j);
  }
  const auto active = static_cast<Index>(level.active_.size());
  level.scale_.resize(active);
  Extended scaled(active, active);
  for (Index a = 0; a < active; ++a) {
    level.scale_[a] = std::ldexp(1.0, std::ilogb(std::sqrt(diagonal(level.active_[a]))));
  }
  for (Index b = 0; b < active; ++b) {
    const Index column = level.active_[b];
    const Index first = column * d - column * (column - 1) / 2 - column;
    for (Index a = b; a < active; ++a) {
      const long double value = normal[static_cast<std::size_t>(first + level.active_[a])];
      scaled(a, b) = scaled(b, a) = value / level.scale_[a] / level.scale_[b];
    }
  }
  if (active == 0) return level;
  const Eigen::LDLT<Extended> factor(scaled);
  if (factor.info() != Eigen::Success || !factor.isPositive()) return std::nullopt;
  level.inverse_ = factor.solve(Extended::Identity(active, active));
  if (!level.inverse_.allFinite()) return std::nullopt;
  const Extended off = Extended::Identity(active, active) - level.inverse_ * scaled;
  // Entries of N are rounded once, the product `active` times; scaled entries are at most 4.
  const long double rounding = 4 * static_cast<long double>(active + 2) * kUnit;
  level.defect_ = static_cast<double>(off.cwiseAbs().rowwise().sum().maxCoeff() +
                                      rounding * level.inverse_.cwiseAbs().rowwise().sum().maxCoeff() *
                                          static_cast<long double>(active));
  if (!(level.defect_ < 0.5)) return std::nullopt;
  return level;
}

void PooledLevel::add_share(const BoundedRow& row, double typical, std::span<ExactSum> shares) const {
  const double root = root_weight(row, typical);
  if (root == 0) return;
  const auto active = static_cast<Index>(active_.size());
  Eigen::Matrix<long double, Eigen::Dynamic, 1> x(active);
  for (Index a = 0; a < active; ++a) x[a] = static_cast<long double>(root) * row.entry(active_[a]) / scale_[a];
  const long double rounding = static_cast<long double>(active + 2) * kUnit;
  const Vector along =
      (((inverse_ * x).cwiseAbs() + rounding * (inverse_.cwiseAbs() * x.cwiseAbs())) * (root * (1 + 1e-9L)))
          .cast<double>();
  for (Index a = 0; a < active; ++a) {
    const double share = along[a] / scale_[a];
    const auto j = static_cast<std::size_t>(active_[a]);
    shares[j].add(share * row.bound.offset);
    shares[j + static_cast<std::size_t>(dimension_)].add(share * row.bound.growth);
  }
}

std::vector<Affine> PooledLevel::bounds(std::span<const double> shares) const {
  std::vector<Affine> result(static_cast<std::size_t>(dimension_));
  const double inflate = defect_ / (1 - defect_);
  double offset = 0;
  double growth = 0;
  for (std::size_t a = 0; a < active_.size(); ++a) {
    const auto j = static_cast<std::size_t>(active_[a]);
    offset = std::max(offset, shares[j] * scale_[static_cast<Index>(a)]);
    growth = std::max(growth, shares[j + static_cast<std::size_t>(dimension_)] * scale_[static_cast<Index>(a)]);
  }
  for (std::size_t a = 0; a < active_.size(); ++a) {
    const auto j = static_cast<std::size_t>(active_[a]);
    const double scale = scale_[static_cast<Index>(a)];
    result[j] = {shares[j] + inflate * offset / scale,
                 shares[j + static_cast<std::size_t>(dimension_)] + inflate * growth / scale};
  }
  return result;
}

}  // namespace gtvmin
