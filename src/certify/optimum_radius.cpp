#include "gtvmin/certify/optimum_radius.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "gtvmin/certify/rounding.h"
#include "gtvmin/graph/spanning_forest.h"

namespace gtvmin {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// offset + growth · T.
struct Affine {
  double offset = 0;
  double growth = 0;
};

/// How far a node's parameters can be from those of its root, beyond how far they are in W: per node the same affine
/// function for all coordinates.
struct Deviations {
  SpanningForest forest;
  std::vector<NodeId> root;
  std::vector<Affine> beyond;
};

/// The constant q with φ(v) ≥ q‖v‖²/2; 0 if there is none.
double quadratic_modulus(const Penalty& penalty) {
  if (std::holds_alternative<SquaredL2Penalty>(penalty)) return 1;
  if (const auto* quadratic = std::get_if<QuadraticPenalty>(&penalty)) return quadratic->least_eigenvalue();
  return 0;
}

Deviations deviations(const SampleProblem& problem, const Matrix& half_flow, double typical) {
  const NodeId nodes = problem.nodes();
  Vector priority(problem.edges());
  for (EdgeId e = 0; e < problem.edges(); ++e) priority[e] = problem.kappa(e);
  Deviations result{
      maximum_spanning_forest(problem.graph(), {priority.data(), priority.data() + priority.size()}), {}, {}};
  result.root.resize(nodes);
  result.beyond.resize(nodes);
  const bool norm = is_norm(problem.penalty());
  const double modulus = quadratic_modulus(problem.penalty());
  std::vector<double> bottleneck(nodes, kInfinity);
  std::vector<double> resistance(nodes, 0);
  std::vector<double> path(nodes, 0);  // Σ ‖u_e/(κq)‖ of the halved flow
  for (const NodeId i : result.forest.order) {
    const NodeId parent = result.forest.parent[i];
    if (parent < 0) {
      result.root[i] = i;
      continue;
    }
    const EdgeId e = result.forest.edge[i];
    result.root[i] = result.root[parent];
    if (norm) {
      bottleneck[i] = std::min(bottleneck[parent], problem.kappa(e));
      result.beyond[i] = {0, 2 / bottleneck[i]};
      continue;
    }
    const double stiffness = problem.kappa(e) * modulus;
    if (stiffness == 0) {
      result.beyond[i] = {0, kInfinity};
      continue;
    }
    resistance[i] = resistance[parent] + 1 / stiffness;
    path[i] = path[parent] + half_flow.col(e).norm() / stiffness;
    // √(2ρT) ≤ ρT/s + s/2 for every s > 0.
    const double s = std::max(std::sqrt(2 * resistance[i] * typical), std::numeric_limits<double>::min());
    result.beyond[i] = {path[i] + s / 2, resistance[i] / s};
  }
  return result;
}

/// A known bound on one linear function of the root's distance q: |xᵀq| ≤ bound.
struct Row {
  const double* x = nullptr;  // null: the unit vector of `coordinate`
  Index coordinate = 0;
  Affine bound;
};

/// Per coordinate an affine bound on |q_j|, from rows; infinite growth if the rows do not determine q.
class LevelBound {
 public:
  LevelBound(Index dimension, std::vector<Row> rows, double typical)
      : dimension_(dimension), rows_(std::move(rows)), typical_(typical) {}

  [[nodiscard]] std::vector<Affine> solve() {
    // A few rows for every coordinate determine q as well as all of them; all are tried where these do not.
    constexpr Index kRowsOfCoordinate = 64;
    const auto count = static_cast<Index>(rows_.size());
    const Index few = kRowsOfCoordinate * dimension_;
    if (count > 2 * few) {
      std::vector<Affine> bounds = solve_with(count / few);
      if (is_finite(bounds)) return bounds;
    }
    return solve_with(1);
  }

 private:
  static bool is_finite(const std::vector<Affine>& bounds) {
    return std::all_of(bounds.begin(), bounds.end(), [](const Affine& b) { return std::isfinite(b.growth); });
  }
  [[nodiscard]] Vector expanded(const Row& row) const {
    if (row.x == nullptr) return Vector::Unit(dimension_, row.coordinate);
    return Eigen::Map<const Vector>(row.x, dimension_);
  }

  /// With every `stride`-th row. N = Σ W_r x_r x_rᵀ with W_r = 1/bound_r², scaled to unit diagonal; q = N⁻¹Σ W_r x_r e_r
  /// up to E = I − N⁻¹N, whose size is bounded too.
  std::vector<Affine> solve_with(Index stride) {
    std::vector<Affine> bounds(dimension_);
    std::vector<const Row*> used;
    for (std::size_t k = 0; k < rows_.size(); k += static_cast<std::size_t>(stride)) {
      const Affine& b = rows_[k].bound;
      if (std::isfinite(b.offset) && std::isfinite(b.growth)) used.push_back(&rows_[k]);
    }
    const auto weight = [&](const Row& row) {
      const double size = row.bound.offset + row.bound.growth * typical_;
      return 1 / std::max(size, std::numeric_limits<double>::min());  // √W
    };
    Vector scale = Vector::Zero(dimension_);
    for (const Row* row : used) scale = scale.cwiseMax(weight(*row) * expanded(*row).cwiseAbs());
    std::vector<Index> active;  // a coordinate that no row sees is one along which the optimum can be shifted
    for (Index j = 0; j < dimension_; ++j) {
      if (scale[j] > 0) active.push_back(j);
    }
    if (active.empty()) return bounds;
    const auto d = static_cast<Index>(active.size());
    const auto count = static_cast<Index>(used.size());
    if (count < d) return solve_underdetermined(used, active, scale, weight);

    using ExtendedMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
    ExtendedMatrix normal = ExtendedMatrix::Zero(d, d);
    Vector x(d);
    const auto scaled = [&](const Row& row) {
      const Vector all = expanded(row);
      const double root = weight(row);
      for (Index a = 0; a < d; ++a) x[a] = root * all[active[a]] / scale[active[a]];
    };
    for (const Row* row : used) {
      scaled(*row);
      for (Index b = 0; b < d; ++b) {
        if (x[b] == 0) continue;
        for (Index a = b; a < d; ++a) normal(a, b) += static_cast<long double>(x[a]) * x[b];
      }
    }
    normal = normal.selfadjointView<Eigen::Lower>();
    const Matrix rounded = normal.cast<double>();
    const Eigen::LDLT<Matrix> factor(rounded);
    if (factor.info() != Eigen::Success || !factor.isPositive()) return fail(active);
    const Matrix inverse = factor.solve(Matrix::Identity(d, d));
    if (!inverse.allFinite()) return fail(active);
    const ExtendedMatrix off = ExtendedMatrix::Identity(d, d) - inverse.cast<long double>() * normal;
    const long double rounding = static_cast<long double>(count + d + 4) * kUnit + 4 * static_cast<long double>(kEpsilon) * kEpsilon;
    // x has rounding errors of a few ε as well, relative in every entry, which a perturbation of the rows absorbs.
    const ExtendedMatrix size = inverse.cwiseAbs().cast<long double>() * normal.cwiseAbs();
    const double defect = static_cast<double>((off.cwiseAbs() + rounding * size).rowwise().sum().maxCoeff()) +
                          8 * kEpsilon * static_cast<double>(inverse.cwiseAbs().rowwise().sum().maxCoeff()) *
                              static_cast<double>(normal.diagonal().maxCoeff());
    if (!(defect < 0.5)) return fail(active);
    Vector offset = Vector::Zero(d);
    Vector growth = Vector::Zero(d);
    for (const Row* row : used) {
      scaled(*row);
      const Vector along = (inverse * x).cwiseAbs() * (weight(*row) * (1 + 1e-10));
      offset += along * row->bound.offset;
      growth += along * row->bound.growth;
    }
    const double inflate = 1 / (1 - defect);
    for (Index a = 0; a < d; ++a) {
      bounds[active[a]] = {(offset[a] + defect * inflate * offset.maxCoeff()) / scale[active[a]],
                           (growth[a] + defect * inflate * growth.maxCoeff()) / scale[active[a]]};
    }
    return bounds;
  }

  /// Fewer rows than coordinates: the optimum next to W has q in the span of the rows, q = Xᵀ(XXᵀ)⁻¹e.
  template <class Weight>
  std::vector<Affine> solve_underdetermined(const std::vector<const Row*>& used, const std::vector<Index>& active,
                                            const Vector& scale, const Weight& weight) {
    const auto count = static_cast<Index>(used.size());
    const auto d = static_cast<Index>(active.size());
    Matrix x(d, count);
    for (Index k = 0; k < count; ++k) {
      const Vector all = expanded(*used[k]);
      for (Index a = 0; a < d; ++a) x(a, k) = weight(*used[k]) * all[active[a]] / scale[active[a]];
    }
    const Matrix gram = x.transpose() * x;
    const Eigen::LDLT<Matrix> factor(gram);
    if (factor.info() != Eigen::Success || !factor.isPositive()) return fail(active);
    const Matrix inverse = factor.solve(Matrix::Identity(count, count));
    if (!inverse.allFinite()) return fail(active);
    const double defect = (Matrix::Identity(count, count) - gram * inverse).cwiseAbs().rowwise().sum().maxCoeff() +
                          (static_cast<double>(count + d) + 8) * kEpsilon *
                              (gram.cwiseAbs() * inverse.cwiseAbs()).rowwise().sum().maxCoeff();
    if (!(defect < 0.5)) return fail(active);
    Vector offset(count);
    Vector growth(count);
    for (Index k = 0; k < count; ++k) {
      offset[k] = used[k]->bound.offset * weight(*used[k]);
      growth[k] = used[k]->bound.growth * weight(*used[k]);
    }
    const Matrix along = (x * inverse).cwiseAbs() * (1 + 1e-10);
    const double inflate = defect / (1 - defect);
    const auto widened = [&](const Vector& e) { return Vector(e.array() + inflate * e.maxCoeff()); };
    const Vector reach_offset = along * widened(offset);
    const Vector reach_growth = along * widened(growth);
    std::vector<Affine> bounds(dimension_);
    for (Index a = 0; a < d; ++a) {
      bounds[active[a]] = {reach_offset[a] / scale[active[a]], reach_growth[a] / scale[active[a]]};
    }
    return bounds;
  }

  [[nodiscard]] std::vector<Affine> fail(const std::vector<Index>& active) const {
    std::vector<Affine> bounds(dimension_);
    for (const Index j : active) bounds[j] = {kInfinity, kInfinity};
    return bounds;
  }

  Index dimension_;
  std::vector<Row> rows_;
  double typical_;
};

/// What the samples of a group say about the distance of its root, whose nodes deviate by `beyond` on top of W.
void add_rows(const SampleProblem& problem, const DualPoint& half, const Matrix& w, NodeId g, const Vector& from_root,
              const Affine& beyond, double typical, std::vector<Row>& rows) {
  const Index all = problem.dimension();
  for (const NodeId i : problem.members(g)) {
    const SampleForm& form = problem.form(i);
    for (Index r = 0; r < form.samples; ++r) {
      const double* x = form.x(r);
      double inner = 0;
      double size = 0;
      double away = 0;
      for (Index j = 0; j < all; ++j) {
        inner += x[j] * w(j, g);
        size += std::abs(x[j]);
        away += std::abs(x[j]) * from_root[j];
      }
      if (size == 0) continue;
      const ScoreReach reach = score_reach(form, form.labels[r], half.p[problem.first_sample(i) + r], inner,
                                           typical / form.weight);
      const double rounding = 1e-12 * std::abs(inner);
      rows.push_back({x, 0,
                      {reach.offset + rounding + away + size * beyond.offset,
                       reach.growth / form.weight + size * beyond.growth}});
    }
    if (form.stiffness == nullptr) continue;
    for (Index j = 0; j < all; ++j) {
      if (form.stiffness[j] == 0) continue;
      const double root = std::max(std::sqrt(typical / form.stiffness[j]), std::numeric_limits<double>::min());
      const double off = std::abs(w(j, g) - form.centre_at(j) - half.q(j, i) / 2);
      rows.push_back({nullptr, j,
                      {off + root / 2 + from_root[j] + beyond.offset,
                       1 / (2 * root * form.stiffness[j]) + beyond.growth}});
    }
  }
}

}  // namespace

OptimumRadius optimum_radius(const SampleProblem& problem, const Partition& components, const Matrix& w,
                             const DualPoint& dual, const Balance& balance, ThreadTeam& team) {
  OptimumRadius result;
  const Index all = problem.dimension();
  if (!problem.couples_all()) return {OptimumRadius::Outcome::kFlat, {}};
  const DualPoint half{dual.u / 2, dual.p / 2, dual.q / 2};
  const GapTerms gap = gap_terms(problem, w, half, team);
  Vector gaps = Vector::Zero(components.groups);
  for (NodeId g = 0; g < problem.nodes(); ++g) gaps[components.group_of[g]] += gap.nodes[g];
  for (EdgeId e = 0; e < problem.edges(); ++e) gaps[components.group_of[problem.graph().head(e)]] += gap.edges[e];
  gaps *= 1 + 1e-12;
  const Deviations deviation = deviations(problem, half.u, gaps.maxCoeff());

  std::vector<std::vector<NodeId>> nodes_of(components.groups);
  for (const NodeId g : deviation.forest.order) nodes_of[components.group_of[g]].push_back(g);
  result.reach.resize(all, problem.nodes());
  for (NodeId c = 0; c < components.groups; ++c) {
    const double typical = std::max(gaps[c], std::numeric_limits<double>::min());
    std::vector<Row> rows;
    Matrix from_root(all, static_cast<Index>(nodes_of[c].size()));
    Index at = 0;
    for (const NodeId g : nodes_of[c]) {
      from_root.col(at) = (w.col(g) - w.col(deviation.root[g])).cwiseAbs();
      add_rows(problem, half, w, g, from_root.col(at), deviation.beyond[g], typical, rows);
      ++at;
    }
    const std::vector<Affine> level = LevelBound(all, std::move(rows), typical).solve();
    double offset = 0;
    double growth = 0;
    at = 0;
    const auto reach_of = [&](NodeId g, Index j) {
      const Affine& beyond = deviation.beyond[g];
      return Affine{level[j].offset + from_root(j, at) + beyond.offset, level[j].growth + beyond.growth};
    };
    for (const NodeId g : nodes_of[c]) {
      for (Index j = 0; j < all; ++j) {
        const double miss = std::abs(balance.residual(j, g)) + balance.error(j, g);
        if (miss == 0) continue;
        const Affine reach = reach_of(g, j);
        offset += miss * reach.offset / 2;
        growth += miss * reach.growth / 2;
      }
      ++at;
    }
    if (!(growth < 0.5) || !std::isfinite(offset)) {
      const bool flat = std::any_of(level.begin(), level.end(), [](const Affine& b) { return !std::isfinite(b.growth); });
      return {flat ? OptimumRadius::Outcome::kFlat : OptimumRadius::Outcome::kUnbounded, {}};
    }
    const double total = (gaps[c] + offset) / (1 - growth);
    at = 0;
    for (const NodeId g : nodes_of[c]) {
      for (Index j = 0; j < all; ++j) {
        const Affine reach = reach_of(g, j);
        result.reach(j, g) = reach.offset + reach.growth * total;
      }
      ++at;
    }
  }
  return result;
}

}  // namespace gtvmin
