#pragma once

#include <optional>
#include <span>
#include <vector>

#include "gtvmin/base/exact_sum.h"
#include "gtvmin/base/types.h"

namespace gtvmin {

/// offset + growth · T.
struct Affine {
  double offset = 0;
  double growth = 0;
  [[nodiscard]] double at(double t) const { return offset + growth * t; }
};

/// A known bound on one linear function of a vector q: |xᵀq| ≤ bound(T) for a T ≥ 0 that is not known yet.
struct BoundedRow {
  const double* x = nullptr;  // null: the unit vector of `coordinate`
  Index coordinate = 0;
  Affine bound;
  [[nodiscard]] double entry(Index j) const {
    if (x == nullptr) return j == coordinate ? 1 : 0;
    return x[j];
  }
};

/// Bounds every coordinate of q by rows that are spread over nodes, in two passes of sums.
///
/// With weights W_r of about 1/bound_r(typical)², powers of two so that products are exact, and N = Σ W_r x_r x_rᵀ, q =
/// N⁻¹ Σ_r W_r x_r (x_rᵀq), hence |q_j| ≤ Σ_r
/// |(N⁻¹x_r)_j| W_r bound_r. The computed inverse has a defect E = I − N⁻¹N; |q| ≤ a + |E||q| with ‖E‖_∞ < ½ is solved
/// for |q|. N has the square of the rows' condition number, so it is added up exactly and inverted with 64 bits. A
/// coordinate that no row sees is one along which q can be taken to be 0.
class PooledLevel {
 public:
  /// Number of sums of the first pass.
  [[nodiscard]] static Index normal_size(Index d) { return d * (d + 1) / 2; }
  /// First pass: adds a row to the lower triangle of N, column after column.
  static void add_row(const BoundedRow& row, double typical, Index d, std::span<ExactSum> normal);

  /// Nothing if the rows do not determine q.
  static std::optional<PooledLevel> make(std::span<const long double> normal, Index d);
  /// Second pass: adds a row's share of the bounds on |q_j|: d offsets, then d growths.
  void add_share(const BoundedRow& row, double typical, std::span<ExactSum> shares) const;
  /// The bounds from the sums of the second pass.
  [[nodiscard]] std::vector<Affine> bounds(std::span<const double> shares) const;

 private:
  PooledLevel() = default;
  Index dimension_ = 0;
  std::vector<Index> active_;
  using Extended = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  Vector scale_;      // about √N_jj of active coordinates, powers of two
  Extended inverse_;  // of N with rows and columns divided by them
  double defect_ = 0;
};

}  // namespace gtvmin
