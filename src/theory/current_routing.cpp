#include "gtvmin/theory/current_routing.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "gtvmin/theory/norm_constants.h"

namespace gtvmin {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
/// Slack that every edge keeps, as a fraction of its weight; it covers the rounding of sums.
constexpr double kSlack = 1e-9;

/// Least λ with constant + λ·slope < λ(1 − kSlack)·weight.
double edge_threshold(double constant, double slope, double weight) {
  const double room = (1 - kSlack) * weight - slope;
  return room > 0 ? constant * (1 + kSlack) / room : kNever;
}

/// Σ_i weight_i |r_i − c|.
double spread(const Vector& weights, const Vector& row, double centre) {
  return (row.array() - centre).abs().matrix().dot(weights);
}

/// The least λ that one edge asks for over all constants c. For a fixed c the condition is linear in 1/λ, and the best
/// c at one λ permits a smaller one.
double median_threshold(const Vector& row, const std::vector<Index>& ascending, const Vector& fixed,
                        const Vector& scaled, double weight, double loss, double constant_loss) {
  constexpr int kRounds = 8;
  double best = kNever;
  double share = 0;  // 1/λ
  for (int round = 0; round < kRounds; ++round) {
    const Vector weights = fixed + share * scaled;
    const double half = weights.sum() / 2;
    double below = 0;
    double centre = row[ascending.back()];
    for (const Index i : ascending) {
      below += weights[i];
      if (below < half) continue;
      centre = row[i];
      break;
    }
    const double threshold =
        edge_threshold(spread(scaled, row, centre) + constant_loss, spread(fixed, row, centre) + loss, weight);
    if (!(threshold < best)) break;
    best = threshold;
    if (best == 0) break;
    share = 1 / best;
  }
  return best;
}

}  // namespace

ElectricCurrents::ElectricCurrents(const EmpiricalGraph& graph) : graph_(&graph) {
  const Index n = graph.nodes();
  const auto count = static_cast<double>(n);
  double total = 0;
  for (EdgeId e = 0; e < graph.edges(); ++e) total += 2 * graph.weight(e);
  // The Laplacian; the added constant makes it regular and cancels in differences.
  Matrix laplacian = Matrix::Constant(n, n, total / (count * count));
  for (EdgeId e = 0; e < graph.edges(); ++e) {
    const double a = graph.weight(e);
    laplacian(graph.head(e), graph.head(e)) += a;
    laplacian(graph.tail(e), graph.tail(e)) += a;
    laplacian(graph.head(e), graph.tail(e)) -= a;
    laplacian(graph.tail(e), graph.head(e)) -= a;
  }
  const Eigen::LLT<Eigen::Ref<Matrix>> factor(laplacian);
  potentials_ = Matrix::Identity(n, n);
  factor.solveInPlace(potentials_);
  double largest = 0;
  for (Index i = 0; i < n; ++i) {
    Vector balance = Vector::Constant(n, 1 / count);
    balance[i] -= 1;
    for (EdgeId e = 0; e < graph.edges(); ++e) {
      const double current = graph.weight(e) * (potentials_(graph.head(e), i) - potentials_(graph.tail(e), i));
      balance[graph.head(e)] += current;
      balance[graph.tail(e)] -= current;
    }
    largest = std::max(largest, balance.cwiseAbs().sum());
  }
  defect_ = std::isfinite(largest) ? 2 * largest : kNever;
}

void ElectricCurrents::row(EdgeId e, VectorRef currents) const {
  currents = graph_->weight(e) * (potentials_.col(graph_->head(e)) - potentials_.col(graph_->tail(e)));
}

CurrentThreshold current_threshold(const ElectricCurrents& currents, const Vector& fixed, const Vector& scaled) {
  const EmpiricalGraph& graph = currents.graph();
  CurrentThreshold result;
  Vector row(graph.nodes());
  std::vector<Index> ascending(static_cast<std::size_t>(graph.nodes()));
  for (EdgeId e = 0; e < graph.edges(); ++e) {
    currents.row(e, row);
    std::iota(ascending.begin(), ascending.end(), Index{0});
    std::sort(ascending.begin(), ascending.end(), [&](Index a, Index b) { return row[a] < row[b]; });
    const double lambda = median_threshold(row, ascending, fixed, scaled, graph.weight(e),
                                           currents.defect() * fixed.sum(), currents.defect() * scaled.sum());
    if (lambda > result.lambda) result = {lambda, e};
    if (std::isinf(lambda)) break;
  }
  return result;
}

CurrentThreshold quadratic_current_threshold(const ElectricCurrents& currents, const Penalty& penalty,
                                             const QuadraticDemands& demands) {
  const EmpiricalGraph& graph = currents.graph();
  const Index d = demands.gradients.rows();
  std::vector<Index> leaving;  // nodes with edges over the boundary
  for (Index k = 0; k < demands.boundary.size(); ++k) {
    if (demands.boundary[k] > 0) leaving.push_back(k);
  }
  const double boundary = demands.boundary.sum();
  const Vector residual = demands.gradients.rowwise().sum();
  const double constant_loss = currents.defect() * demands.gradient_bound.sum() * 2;
  const double slope_loss = boundary > 0 ? currents.defect() * boundary * (1 + demands.response_bound.sum()) : 0;

  struct Candidate {
    double threshold = 0;
    double constant = 0;
    EdgeId edge = 0;
  };
  Vector row(graph.nodes());
  // Norms of d × d matrices are bounded first; exact ones follow for the edges that decide.
  const auto slope = [&](const Matrix& response, auto norm) {
    Matrix difference = response;
    double sum = slope_loss;
    for (const Index k : leaving) {
      difference.diagonal() = response.diagonal().array() - row[k];
      sum += demands.boundary[k] * norm(penalty, difference);
    }
    return sum * (1 + demands.rounding);
  };
  const auto response_of = [&] {
    const Vector packed = demands.responses * row;
    return Matrix(Eigen::Map<const Matrix>(packed.data(), d, d));
  };
  std::vector<Candidate> candidates;
  candidates.reserve(static_cast<std::size_t>(graph.edges()));
  for (EdgeId e = 0; e < graph.edges(); ++e) {
    currents.row(e, row);
    const Matrix response = response_of();
    const double constant = dual_norm_of(penalty, demands.gradients * row - response * residual) + constant_loss;
    const double bound = leaving.empty() ? 0 : slope(response, dual_operator_norm_bound);
    candidates.push_back({edge_threshold(constant, bound, graph.weight(e)), constant, e});
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.threshold > b.threshold; });
  CurrentThreshold result;
  for (const Candidate& candidate : candidates) {
    if (candidate.threshold <= result.lambda) break;
    currents.row(candidate.edge, row);
    const double exact = leaving.empty() ? 0 : slope(response_of(), dual_operator_norm);
    const double lambda =
        std::min(candidate.threshold, edge_threshold(candidate.constant, exact, graph.weight(candidate.edge)));
    if (lambda > result.lambda) result = {lambda, candidate.edge};
    if (std::isinf(lambda)) break;
  }
  return result;
}

double current_routing_work(const EmpiricalGraph& graph, Index dimension, Index medians) {
  const auto n = static_cast<double>(graph.nodes());
  const auto m = static_cast<double>(graph.edges());
  const auto d = static_cast<double>(dimension);
  // Measured on one core: nanoseconds of the factorisation, and per edge and node.
  constexpr double kFactor = 0.1;
  constexpr double kMedian = 65;
  constexpr double kRow = 12;
  constexpr double kResponse = 0.4;
  const double per_entry = medians > 0 ? kMedian * static_cast<double>(medians) : kRow + kResponse * d * d;
  return kFactor * n * n * n + m * n * per_entry;
}

}  // namespace gtvmin
