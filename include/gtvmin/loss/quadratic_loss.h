#pragma once

#include <cassert>
#include <span>

#include "gtvmin/base/lanes.h"
#include "gtvmin/loss/local_loss.h"

namespace gtvmin {

/// ½qᵀHq = ½Σ_k (λ_k − µ)(u_kᵀq)² + ½µ‖q‖², of terms that are not negative. `d` is a number or a
/// std::integral_constant.
template <class Dim>
[[nodiscard, gnu::always_inline]] inline double half_form(const QuadraticForm& form, const double* q, Dim d) {
  double sum = form.floor == 0 ? 0 : form.floor * inner_product(q, q, d);
  const double* column = form.basis;
  for (Index k = 0; k < form.rank; ++k, column += d) {
    const double along = inner_product(column, q, d);
    sum += (form.eigenvalues[k] - form.floor) * along * along;
  }
  return sum / 2;
}

/// z = prox(v, ρ) of a quadratic form: (H + ρ)z = Hw₀ + ρv, written as a step from v towards w₀ so that flat directions
/// keep v to the last bit. `d` is a number or a std::integral_constant; `q` has d numbers; v and z may be the same.
template <class Dim>
[[gnu::always_inline]] inline void quadratic_prox(const QuadraticForm& form, const double* v, Dim d, double rho,
                                                  double* z, double* q) {
  const double base = form.floor == 0 ? 0 : form.floor / (form.floor + rho);
  for_lanes(d, [&](Index j, auto lanes) {
    using Lanes = decltype(lanes);
    const Lanes to_minimiser = load<Lanes>(form.minimiser + j) - load<Lanes>(v + j);
    store(q + j, to_minimiser);
    store(z + j, load<Lanes>(v + j) + base * to_minimiser);
  });
  const double* column = form.basis;
  for (Index k = 0; k < form.rank; ++k, column += d) {
    const double kept = form.eigenvalues[k] / (form.eigenvalues[k] + rho) - base;
    const double along = kept * inner_product(column, q, d);
    for_lanes(d, [&](Index j, auto lanes) {
      using Lanes = decltype(lanes);
      store(z + j, load<Lanes>(z + j) + along * load<Lanes>(column + j));
    });
  }
}

/// Where H is regular and ρ stays the same for many prox steps, (H + ρ)⁻¹H itself is faster than the eigenform and
/// takes less memory. It is symmetric: of column c it keeps the rows from 4⌊c/4⌋ on, column after column.
[[nodiscard]] inline Index step_matrix_size(Index d) {
  Index numbers = 0;
  for (Index c = 0; c < d; ++c) numbers += d - c / 4 * 4;
  return numbers;
}

/// With more rows the eigenforms are few but large, and step matrices dear to refresh.
constexpr Index kMostStepRows = 16;

/// The step matrix of a form with rank d ≤ kMostStepRows.
template <class Dim>
[[gnu::always_inline]] inline void fill_step_matrix(const QuadraticForm& form, Dim d, double rho, double* numbers) {
  assert(d <= kMostStepRows);
  double kept[kMostStepRows];
  for (Index k = 0; k < d; ++k) kept[k] = form.eigenvalues[k] / (form.eigenvalues[k] + rho);
  for (Index c = 0; c < d; ++c) {
    const Index first = c / 4 * 4;
    for_lanes(d - first, [&](Index j, auto lanes) {
      using Lanes = decltype(lanes);
      const double* column = form.basis;
      for (Index k = 0; k < d; ++k, column += d) lanes += kept[k] * column[c] * load<Lanes>(column + first + j);
      store(numbers + j, lanes);
    });
    numbers += d - first;
  }
}

/// z = v + (H + ρ)⁻¹H (w₀ − v), the prox. `q` and `mirrored` have d numbers; v and z may be the same.
template <class Dim>
[[gnu::always_inline]] inline void step_matrix_prox(const double* minimiser, const double* numbers, const double* v,
                                                    Dim d, double* z, double* q, double* mirrored) {
  for_lanes(d, [&](Index j, auto lanes) {
    using Lanes = decltype(lanes);
    store(q + j, load<Lanes>(minimiser + j) - load<Lanes>(v + j));
    store(z + j, load<Lanes>(v + j));
  });
  const double* column = numbers;
  for (Index c = 0; c < d; ++c) {
    const Index first = c / 4 * 4;
    const Index below = first + 4;
    for_lanes(d - first, [&](Index j, auto lanes) {
      using Lanes = decltype(lanes);
      store(z + first + j, load<Lanes>(z + first + j) + q[c] * load<Lanes>(column + j));
    });
    mirrored[c] = below < d ? inner_product(column + 4, q + below, d - below) : 0;
    column += d - first;
  }
  for_lanes(d, [&](Index j, auto lanes) {
    using Lanes = decltype(lanes);
    store(z + j, load<Lanes>(z + j) + load<Lanes>(mirrored + j));
  });
}

/// L(w) = ½(w − w₀)ᵀH(w − w₀) + c, H positive semidefinite: least squares, points, or the trivial loss 0.
///
/// H is kept as U diag(λ) Uᵀ + µ(I − UUᵀ) with U d×k orthonormal, k ≤ min(d, samples + 1). So every prox, for every ρ,
/// costs 4dk operations and no factorisation. The samples are kept beside it: value() and every proof are evaluated
/// from them, since the eigenform drops directions below rounding level.
class QuadraticLoss final : public LocalLoss {
 public:
  /// scale · Σ_r (x_rᵀw − y_r)² + Σ_j ridge_j w_j², x_r the columns of `features`. w₀ is the minimiser of least norm.
  static LossPtr least_squares(ConstMatrixRef features, ConstVectorRef labels, double scale, ConstVectorRef ridge);
  /// scale · Σ_r ‖w − a_r‖² + ridge‖w‖², a_r the columns of `points`.
  static LossPtr points(ConstMatrixRef points, double scale, double ridge);
  /// ½(w − w₀)ᵀH(w − w₀) + c for any symmetric positive semidefinite H.
  static LossPtr from_hessian(const Matrix& hessian, const Vector& minimiser, double minimum);
  /// 0: a node whose data are not accessible.
  static LossPtr zero(Index dimension);
  /// The sum of quadratic losses of one dimension; at least one.
  static LossPtr sum(std::span<const LocalLoss* const> losses);

  [[nodiscard]] Index dimension() const override { return dimension_; }
  [[nodiscard]] double value(ConstVectorRef w) const override;
  void gradient(ConstVectorRef w, VectorRef g) const override;
  void prox(ConstVectorRef v, double rho, double tolerance, VectorRef z, VectorRef scratch) const override;
  [[nodiscard]] Index scratch_size() const override { return dimension(); }
  [[nodiscard]] double lower_bound() const override { return minimum_; }
  [[nodiscard]] bool has_hessian() const override { return true; }
  [[nodiscard]] bool hessian_is_constant() const override { return true; }
  void add_hessian(ConstVectorRef w, MatrixRef hessian) const override;
  void apply_hessian(ConstVectorRef w, ConstVectorRef p, VectorRef out) const override;
  void solve_hessian(ConstVectorRef w, ConstVectorRef r, VectorRef out) const override;
  /// Exact: the target y misses ∇L(w) by Hq with q = (1 − θ)(w − w₀) − θp, which costs ½qᵀHq.
  [[nodiscard]] double fenchel_young_bound(ConstVectorRef w, ConstVectorRef p, double theta) const override;
  [[nodiscard]] const QuadraticForm* quadratic_form() const override { return &form_; }
  [[nodiscard]] const SampleForm* sample_form() const override { return &sample_form_; }
  [[nodiscard]] bool is_trivial() const override { return trivial_; }

 private:
  using ConstVectorMap = Eigen::Map<const Vector>;
  using ConstMatrixMap = Eigen::Map<const Matrix>;

  /// The data of a SampleForm: weight Σ_r (x_rᵀw − y_r)² + Σ_j stiffness_j (w_j − centre_j)² + constant.
  struct Samples {
    Matrix features;
    Vector labels;
    double weight = 1;
    Vector stiffness;  // empty: none
    Vector centre;     // empty: 0
    double constant = 0;
  };

  QuadraticLoss(ConstMatrixRef basis, ConstVectorRef eigenvalues, double floor, ConstVectorRef minimiser,
                double minimum, Samples samples);
  /// The eigenform itself as samples, for a loss that is given by its Hessian.
  static Samples samples_of(const Matrix& basis, const Vector& eigenvalues, double floor, const Vector& minimiser,
                            double minimum);
  template <class Expression>
  [[nodiscard]] double half_form_of(const Expression& q) const;  // ½qᵀHq
  [[nodiscard]] ConstVectorMap minimiser() const { return {form_.minimiser, dimension_}; }
  [[nodiscard]] ConstVectorMap eigenvalues() const { return {form_.eigenvalues, form_.rank}; }
  [[nodiscard]] ConstMatrixMap basis() const { return {form_.basis, dimension_, form_.rank}; }

  Vector numbers_;  // w₀, λ, U in one piece
  QuadraticForm form_;
  Samples samples_;
  SampleForm sample_form_;
  Index dimension_;
  double minimum_;
  bool trivial_;
};

}  // namespace gtvmin
