#include "gtvmin/certify/optimum_radius.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <variant>

#include "gtvmin/certify/pooled_level.h"
#include "gtvmin/certify/rounding.h"
#include "gtvmin/graph/spanning_forest.h"

namespace gtvmin {
namespace {

/// How far a node's parameters can be from those of its root, beyond how far they are in W: per node the same affine
/// function for all coordinates.
struct Deviations {
  SpanningForest forest;
  std::vector<NodeId> root;
  std::vector<Affine> beyond;
};

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

bool is_finite(const std::vector<Affine>& bounds) {
  return std::all_of(bounds.begin(), bounds.end(), [](const Affine& b) { return std::isfinite(b.growth); });
}

/// Bounds on the coordinates of q from every `stride`-th row, by an approximate left inverse A of the weighted rows Y:
/// q = A(Yq) + (I − AY)q. The QR factorisation finds A, rows in decreasing order since their weights differ by orders
/// of magnitude; the bound holds for any A. Infinite if the rows do not determine q.
std::vector<Affine> level_from(Index d, const std::vector<BoundedRow>& rows, double typical, std::size_t stride) {
  std::vector<Affine> bounds(static_cast<std::size_t>(d), {kInfinity, kInfinity});
  std::vector<const BoundedRow*> used;
  for (std::size_t k = 0; k < rows.size(); k += stride) {
    if (std::isfinite(rows[k].bound.at(typical))) used.push_back(&rows[k]);
  }
  const auto count = static_cast<Index>(used.size());
  Matrix y(count, d);
  Vector weight(count);
  for (Index r = 0; r < count; ++r) {
    weight[r] = 1 / std::max(used[r]->bound.at(typical), std::numeric_limits<double>::min());
    for (Index j = 0; j < d; ++j) y(r, j) = weight[r] * used[r]->entry(j);
  }
  // A coordinate that no row sees is one along which the optimum can be shifted.
  std::vector<Index> active;
  for (Index j = 0; j < d; ++j) {
    if (y.col(j).isZero(0))
      bounds[j] = {};
    else
      active.push_back(j);
  }
  if (active.empty()) return bounds;
  y = Matrix(y(Eigen::all, active));
  const auto width = static_cast<Index>(active.size());
  if (count < width || !y.allFinite()) return bounds;
  const Vector scale = y.colwise().lpNorm<Eigen::Infinity>();
  y = y * scale.cwiseInverse().asDiagonal();
  std::vector<Index> order(count);
  std::iota(order.begin(), order.end(), Index{0});
  const Vector sizes = y.rowwise().lpNorm<Eigen::Infinity>();
  std::sort(order.begin(), order.end(),
            [&](Index a, Index b) { return sizes[a] != sizes[b] ? sizes[a] > sizes[b] : a < b; });
  y = Matrix(y(order, Eigen::all));
  const Eigen::HouseholderQR<Matrix> factor(y);
  const Matrix thin = factor.householderQ() * Matrix::Identity(count, width);
  const Matrix left = factor.matrixQR().topRows(width).triangularView<Eigen::Upper>().solve(thin.transpose());
  if (!left.allFinite()) return bounds;
  using Extended = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  const Extended off = Extended::Identity(width, width) - left.cast<long double>() * y.cast<long double>();
  // Entries of Y carry relative errors of a few ε, the product in extended precision count · unit.
  const Matrix size = left.cwiseAbs() * y.cwiseAbs();
  const double rounding = 8 * kEpsilon + static_cast<double>(static_cast<long double>(count) * kUnit);
  const double defect =
      static_cast<double>(off.cwiseAbs().rowwise().sum().maxCoeff()) + rounding * size.rowwise().sum().maxCoeff();
  if (!(defect < 0.5)) return bounds;
  Vector offset = Vector::Zero(width);
  Vector growth = Vector::Zero(width);
  for (Index k = 0; k < count; ++k) {
    const BoundedRow& row = *used[order[k]];
    offset += left.col(k).cwiseAbs() * (weight[order[k]] * row.bound.offset);
    growth += left.col(k).cwiseAbs() * (weight[order[k]] * row.bound.growth);
  }
  const double inflate = defect / (1 - defect);
  for (Index a = 0; a < width; ++a) {
    bounds[active[a]] = {(1 + 1e-9) * (offset[a] + inflate * offset.maxCoeff()) / scale[a],
                         (1 + 1e-9) * (growth[a] + inflate * growth.maxCoeff()) / scale[a]};
  }
  return bounds;
}

/// Fewer rows than coordinates: the optimum next to W has q in the span of the rows, q = Xᵀ(XXᵀ)⁻¹e.
std::vector<Affine> level_from_few(Index d, const std::vector<BoundedRow>& rows, double typical) {
  std::vector<Affine> bounds(static_cast<std::size_t>(d), {kInfinity, kInfinity});
  const auto count = static_cast<Index>(rows.size());
  Matrix x(d, count);
  Vector offset(count);
  Vector growth(count);
  for (Index k = 0; k < count; ++k) {
    const BoundedRow& row = rows[static_cast<std::size_t>(k)];
    x.col(k) = row.x == nullptr ? Vector(Vector::Unit(d, row.coordinate)) : Vector(Eigen::Map<const Vector>(row.x, d));
    const double size = row.bound.at(typical);
    if (!std::isfinite(size) || !(size > 0)) return bounds;
    x.col(k) /= size;
    offset[k] = row.bound.offset / size;
    growth[k] = row.bound.growth / size;
  }
  Vector scale = x.rowwise().lpNorm<Eigen::Infinity>();
  for (Index j = 0; j < d; ++j) {
    if (scale[j] == 0) scale[j] = 1;
  }
  x = scale.cwiseInverse().asDiagonal() * x;
  const Matrix gram = x.transpose() * x;
  const Eigen::LDLT<Matrix> factor(gram);
  if (factor.info() != Eigen::Success || !factor.isPositive()) return bounds;
  const Matrix inverse = factor.solve(Matrix::Identity(count, count));
  if (!inverse.allFinite()) return bounds;
  const double defect = (Matrix::Identity(count, count) - gram * inverse).cwiseAbs().rowwise().sum().maxCoeff() +
                        (static_cast<double>(count + d) + 16) * kEpsilon *
                            (gram.cwiseAbs() * inverse.cwiseAbs()).rowwise().sum().maxCoeff();
  if (!(defect < 0.5)) return bounds;
  const Matrix along = (x * inverse).cwiseAbs() * (1 + 1e-9);
  const double inflate = defect / (1 - defect);
  const auto widened = [&](const Vector& e) { return Vector(e.array() + inflate * e.maxCoeff()); };
  const Vector reach_offset = along * widened(offset);
  const Vector reach_growth = along * widened(growth);
  for (Index j = 0; j < d; ++j) bounds[j] = {reach_offset[j] / scale[j], reach_growth[j] / scale[j]};
  return bounds;
}

/// 1 for the parameters that edges couple, 0 for private ones.
std::vector<double> coupled_mask(const SampleProblem& problem) {
  std::vector<double> mask(static_cast<std::size_t>(problem.dimension()), problem.couples_all() ? 1 : 0);
  for (Index k = 0; k < problem.coupled_dimension(); ++k) mask[static_cast<std::size_t>(problem.coupled(k))] = 1;
  return mask;
}

/// What the samples of a group say about the distance of its root, whose nodes deviate by `beyond` on top of W.
void add_rows(const SampleProblem& problem, const DualPoint& half, const Matrix& w, NodeId g, const Vector& from_root,
              const Affine& beyond, double typical, std::vector<BoundedRow>& rows) {
  const Index all = problem.dimension();
  const std::vector<double> coupled = coupled_mask(problem);
  for (const NodeId i : problem.members(g)) {
    const SampleForm& form = problem.form(i);
    for (Index r = 0; r < form.samples; ++r) {
      const double* x = form.x(r);
      double inner = 0;
      double size = 0;
      double away = 0;
      bool seen = false;
      for (Index j = 0; j < all; ++j) {
        inner += x[j] * w(j, g);
        seen = seen || x[j] != 0;
        size += coupled[j] * std::abs(x[j]);
        away += coupled[j] * std::abs(x[j]) * from_root[j];
      }
      if (!seen) continue;
      const ScoreReach reach =
          score_reach(form, form.labels[r], half.p[problem.first_sample(i) + r], inner, typical / form.weight);
      const double rounding = 1e-12 * std::abs(inner);
      rows.push_back(
          {x,
           0,
           {reach.offset + rounding + away + size * beyond.offset, reach.growth / form.weight + size * beyond.growth}});
    }
    if (form.stiffness == nullptr) continue;
    for (Index j = 0; j < all; ++j) {
      if (form.stiffness[j] == 0) continue;
      const double root = std::max(std::sqrt(typical / form.stiffness[j]), std::numeric_limits<double>::min());
      const double off = std::abs(w(j, g) - form.centre_at(j) - half.q(j, i) / 2);
      rows.push_back({nullptr,
                      j,
                      {off + root / 2 + coupled[j] * (from_root[j] + beyond.offset),
                       1 / (2 * root * form.stiffness[j]) + coupled[j] * beyond.growth}});
    }
  }
}

}  // namespace

std::vector<Affine> level_bounds(Index d, const std::vector<BoundedRow>& rows, double typical) {
  if (rows.empty()) return std::vector<Affine>(static_cast<std::size_t>(d));
  // A few rows for every coordinate determine q as well as all of them; all are tried where these do not.
  constexpr std::size_t kRowsOfCoordinate = 64;
  const std::size_t few = kRowsOfCoordinate * static_cast<std::size_t>(d);
  if (rows.size() > 2 * few) {
    std::vector<Affine> bounds = level_from(d, rows, typical, rows.size() / few);
    if (is_finite(bounds)) return bounds;
  }
  std::vector<Affine> bounds = level_from(d, rows, typical, 1);
  if (is_finite(bounds) || static_cast<Index>(rows.size()) >= d) return bounds;
  return level_from_few(d, rows, typical);
}

std::vector<BoundedRow> score_rows(const SampleProblem& problem, const DualPoint& dual, const Matrix& w, NodeId group,
                                   double typical) {
  std::vector<BoundedRow> rows;
  add_rows(problem, dual, w, group, Vector::Zero(problem.dimension()), {}, typical, rows);
  return rows;
}

namespace {

/// The rows of one node in its private and in its coupled parameters, and combinations of them in which the private
/// ones have no part.
class PrivateRows {
 public:
  PrivateRows(const SampleProblem& problem, std::vector<BoundedRow> rows, double typical) : rows_(std::move(rows)) {
    const std::vector<double> mask = coupled_mask(problem);
    for (Index j = 0; j < problem.dimension(); ++j) (mask[j] != 0 ? coupled_ : own_).push_back(j);
    const auto count = static_cast<Index>(rows_.size());
    if (count == 0) return;
    const auto own = static_cast<Index>(own_.size());
    Matrix private_part(count, own);
    Matrix coupled_part(count, static_cast<Index>(coupled_.size()));
    Vector weight(count);
    for (Index r = 0; r < count; ++r) {
      weight[r] = 1 / std::max(rows_[r].bound.at(typical), std::numeric_limits<double>::min());
      for (Index k = 0; k < own; ++k) private_part(r, k) = weight[r] * rows_[r].entry(own_[k]);
      for (std::size_t k = 0; k < coupled_.size(); ++k) coupled_part(r, k) = weight[r] * rows_[r].entry(coupled_[k]);
    }
    Eigen::ColPivHouseholderQR<Matrix> factor(private_part);
    const Index rank = factor.rank();
    const Matrix q = factor.householderQ();
    const Matrix free = q.rightCols(count - rank).transpose();
    const Matrix combined = free * coupled_part;
    left_ = free * private_part;  // rounding alone
    for (Index f = 0; f < free.rows(); ++f) {
      Affine bound;
      for (Index r = 0; r < count; ++r) {
        bound.offset += std::abs(free(f, r)) * weight[r] * rows_[r].bound.offset;
        bound.growth += std::abs(free(f, r)) * weight[r] * rows_[r].bound.growth;
      }
      // Room for what rounding leaves of the private part, which is checked once that is bounded.
      numbers_.push_back(combined.row(f));
      bounds_.push_back({bound.offset * (1 + kRoom), bound.growth * (1 + kRoom)});
    }
  }

  void add_combinations(std::vector<BoundedRow>& rows) const {
    for (std::size_t f = 0; f < numbers_.size(); ++f) rows.push_back({numbers_[f].data(), 0, bounds_[f]});
  }

  /// Bounds on the private parameters, given those on the coupled ones; infinite if what rounding left is too much.
  [[nodiscard]] std::vector<Affine> private_bounds(const std::vector<Affine>& level, double typical) const {
    const auto own = static_cast<Index>(own_.size());
    std::vector<Affine> result(own_.size());
    if (rows_.empty()) return result;  // no sample: the private parameters do not matter
    std::vector<Vector> numbers;
    std::vector<BoundedRow> rows;
    numbers.reserve(rows_.size());
    for (const BoundedRow& row : rows_) {
      Vector& x = numbers.emplace_back(own);
      Affine bound = row.bound;
      for (Index k = 0; k < own; ++k) x[k] = row.entry(own_[k]);
      for (std::size_t k = 0; k < coupled_.size(); ++k) {
        bound.offset += std::abs(row.entry(coupled_[k])) * level[k].offset;
        bound.growth += std::abs(row.entry(coupled_[k])) * level[k].growth;
      }
      if (!x.isZero(0)) rows.push_back({x.data(), 0, bound});
    }
    result = level_bounds(own, rows, typical);
    for (Index f = 0; f < left_.rows(); ++f) {
      Affine hidden;
      for (Index k = 0; k < own; ++k) {
        hidden.offset += std::abs(left_(f, k)) * result[static_cast<std::size_t>(k)].offset;
        hidden.growth += std::abs(left_(f, k)) * result[static_cast<std::size_t>(k)].growth;
      }
      const Affine& bound = bounds_[static_cast<std::size_t>(f)];
      if (!(hidden.offset <= kRoom / 2 * bound.offset && hidden.growth <= kRoom / 2 * bound.growth)) {
        return std::vector<Affine>(own_.size(), {kInfinity, kInfinity});
      }
    }
    return result;
  }

  [[nodiscard]] const std::vector<Index>& own() const { return own_; }
  [[nodiscard]] const std::vector<Index>& coupled() const { return coupled_; }

 private:
  static constexpr double kRoom = 1e-3;
  std::vector<BoundedRow> rows_;
  std::vector<Index> own_;
  std::vector<Index> coupled_;
  std::vector<Vector> numbers_;
  std::vector<Affine> bounds_;
  Matrix left_;
};

/// Affine bounds on |w_ij − w*_ij| for the nodes of one component, in the order of `nodes`.
std::vector<std::vector<Affine>> component_reach(const SampleProblem& problem, const std::vector<NodeId>& nodes,
                                                 const Deviations& deviation, const Matrix& w, const DualPoint& half,
                                                 double typical, bool& flat) {
  const Index all = problem.dimension();
  std::vector<BoundedRow> rows;
  std::vector<PrivateRows> by_node;
  std::vector<Vector> from_root;
  by_node.reserve(nodes.size());
  from_root.reserve(nodes.size());
  for (const NodeId g : nodes) {
    from_root.push_back((w.col(g) - w.col(deviation.root[g])).cwiseAbs());
    if (problem.couples_all()) {
      add_rows(problem, half, w, g, from_root.back(), deviation.beyond[g], typical, rows);
      continue;
    }
    std::vector<BoundedRow> own;
    add_rows(problem, half, w, g, from_root.back(), deviation.beyond[g], typical, own);
    by_node.emplace_back(problem, std::move(own), typical).add_combinations(rows);
  }
  const Index d = problem.coupled_dimension();
  const std::vector<Affine> level = level_bounds(d, rows, typical);
  flat = !is_finite(level);
  std::vector<std::vector<Affine>> reach(nodes.size(), std::vector<Affine>(static_cast<std::size_t>(all)));
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const Affine& beyond = deviation.beyond[nodes[k]];
    for (Index a = 0; a < d; ++a) {
      const Index j = problem.coupled(a);
      reach[k][j] = {level[a].offset + from_root[k][j] + beyond.offset, level[a].growth + beyond.growth};
    }
    if (problem.couples_all()) continue;
    const std::vector<Affine> own = by_node[k].private_bounds(level, typical);
    for (std::size_t a = 0; a < own.size(); ++a) reach[k][by_node[k].own()[a]] = own[a];
  }
  return reach;
}

}  // namespace

OptimumRadius::Outcome OptimumRadius::outcome() const {
  const auto failed = std::find_if(outcomes.begin(), outcomes.end(), [](Outcome o) { return o != Outcome::kProved; });
  return failed == outcomes.end() ? Outcome::kProved : *failed;
}

OptimumRadius optimum_radius(const SampleProblem& problem, const Partition& components, const Matrix& w,
                             const DualPoint& dual, const Balance& balance, ThreadTeam& team) {
  OptimumRadius result;
  const Index all = problem.dimension();
  const DualPoint half{dual.u / 2, dual.p / 2, dual.q / 2, dual.u_low / 2, dual.p_low / 2, dual.q_low / 2};
  const GapTerms gap = gap_terms(problem, w, half, team);
  Vector gaps = Vector::Zero(components.groups);
  for (NodeId g = 0; g < problem.nodes(); ++g) gaps[components.group_of[g]] += gap.nodes[g];
  for (EdgeId e = 0; e < problem.edges(); ++e) gaps[components.group_of[problem.graph().head(e)]] += gap.edges[e];
  gaps *= 1 + 1e-12;
  const Deviations deviation = deviations(problem, half.u, gaps.maxCoeff());
  std::vector<std::vector<NodeId>> nodes_of(components.groups);
  for (const NodeId g : deviation.forest.order) nodes_of[components.group_of[g]].push_back(g);
  result.reach = Matrix::Zero(all, problem.nodes());
  result.outcomes.assign(components.groups, OptimumRadius::Outcome::kProved);
  for (NodeId c = 0; c < components.groups; ++c) {
    const double typical = std::max(gaps[c], std::numeric_limits<double>::min());
    bool flat = false;
    const auto reach = component_reach(problem, nodes_of[c], deviation, w, half, typical, flat);
    Affine charge;
    for (std::size_t k = 0; k < nodes_of[c].size(); ++k) {
      for (Index j = 0; j < all; ++j) {
        const double miss = std::abs(balance.residual(j, nodes_of[c][k])) + balance.error(j, nodes_of[c][k]);
        if (miss == 0) continue;
        charge.offset += miss * reach[k][j].offset / 2;
        charge.growth += miss * reach[k][j].growth / 2;
      }
    }
    if (!(charge.growth < 0.5) || !std::isfinite(charge.offset)) {
      result.outcomes[c] = flat ? OptimumRadius::Outcome::kFlat : OptimumRadius::Outcome::kUnbounded;
      continue;
    }
    const double total = (gaps[c] + charge.offset) / (1 - charge.growth);
    for (std::size_t k = 0; k < nodes_of[c].size(); ++k) {
      for (Index j = 0; j < all; ++j) result.reach(j, nodes_of[c][k]) = reach[k][j].at(total);
    }
  }
  return result;
}

}  // namespace gtvmin
