#include "gtvmin/theory/cluster_constants.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "gtvmin/loss/sum_loss.h"
#include "gtvmin/solver/local_minimiser.h"
#include "gtvmin/theory/hessian_bounds.h"

namespace gtvmin {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
/// Radii of the balls around w̄_C grow by this factor, from kFirstRadius in units of 1/max ‖x‖_*. A first ball of that
/// size costs e^{−0.05} of the curvature; kMostSteps keeps e^{rs} finite.
constexpr double kRadiusFactor = 1.5;
constexpr double kFirstRadius = 0.05;
constexpr int kMostSteps = 22;
/// Rounding of a gradient, as a fraction of its terms.
constexpr double kGradientRounding = 1e-13;

Matrix cluster_gradients(const Problem& problem, std::span<const NodeId> nodes, const Vector& w) {
  Matrix gradients(w.size(), static_cast<Index>(nodes.size()));
  Vector g(w.size());
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    problem.loss(nodes[k]).gradient(w, g);
    gradients.col(static_cast<Index>(k)) = g;
  }
  return gradients;
}

Matrix cluster_hessian(const Problem& problem, std::span<const NodeId> nodes, const Vector& w) {
  Matrix hessian = Matrix::Zero(w.size(), w.size());
  for (const NodeId i : nodes) problem.loss(i).add_hessian(w, hessian);
  return hessian;
}

bool is_quadratic(const Problem& problem, std::span<const NodeId> nodes) {
  return std::all_of(nodes.begin(), nodes.end(), [&](NodeId i) { return problem.loss(i).hessian_is_constant(); });
}

/// Bounds of f_C and of its losses in one ball.
CurvatureStep curvature_step(const Problem& problem, const ClusterConstants& c, double radius) {
  const Penalty& penalty = problem.penalty();
  const Index d = problem.dimension();
  const auto size = static_cast<Index>(c.nodes.size());
  CurvatureStep step{.radius = radius, .beta = Vector(size), .kappa = Vector(size)};
  Matrix lower = Matrix::Zero(d, d);
  for (Index k = 0; k < size; ++k) {
    const HessianBounds bounds =
        hessian_bounds(problem.loss(c.nodes[static_cast<std::size_t>(k)]), penalty, c.minimiser.w, radius);
    lower += bounds.lower;
    step.beta[k] = smoothness_constant(penalty, bounds.upper);
  }
  step.alpha = strong_convexity_constant(penalty, spectral_inverse(lower));
  step.kappa = step.alpha > 0 ? Vector(step.beta / step.alpha) : Vector::Constant(size, kInfinite);
  step.lambda_limit = c.boundary > 0 ? step.alpha * radius / c.boundary : kInfinite;
  return step;
}

/// Quadratic losses: H_i(ŵ − w̄) = −H_iH_C⁻¹ · (the flow over the boundary), which is sharper than β_i/α_C.
CurvatureStep quadratic_step(const Problem& problem, const ClusterConstants& c) {
  const Penalty& penalty = problem.penalty();
  const Index d = problem.dimension();
  const auto size = static_cast<Index>(c.nodes.size());
  CurvatureStep step{.radius = kInfinite, .beta = Vector(size), .kappa = Vector(size)};
  step.alpha = strong_convexity_constant(penalty, c.minimiser.hessian);
  step.lambda_limit = step.alpha > 0 || c.boundary == 0 ? kInfinite : 0;
  const double inverse_rounding = 1 + c.minimiser.hessian.error;
  for (Index k = 0; k < size; ++k) {
    Matrix hessian = Matrix::Zero(d, d);
    problem.loss(c.nodes[static_cast<std::size_t>(k)]).add_hessian(c.minimiser.w, hessian);
    step.beta[k] = smoothness_constant(penalty, hessian);
    const double sharper = dual_operator_norm(penalty, hessian * c.minimiser.hessian.inverse) * inverse_rounding;
    step.kappa[k] = step.alpha > 0 ? std::min(step.beta[k] / step.alpha, sharper) : kInfinite;
  }
  return step;
}

/// Balls as long as a larger one lets a larger λ through; `lambda` gets a ball of its own.
std::vector<CurvatureStep> curvature_steps(const Problem& problem, const ClusterConstants& c, double lambda) {
  if (c.quadratic) {
    CurvatureStep step = quadratic_step(problem, c);
    return step.lambda_limit > 0 ? std::vector<CurvatureStep>{std::move(step)} : std::vector<CurvatureStep>{};
  }
  if (c.boundary == 0) return {curvature_step(problem, c, 0)};
  double unit = 0;
  for (const NodeId i : c.nodes) unit = std::max(unit, largest_feature_norm(problem.loss(i), problem.penalty()));
  std::vector<CurvatureStep> steps;
  double radius = kFirstRadius / (unit > 0 ? unit : 1);
  for (int k = 0; k < kMostSteps; ++k, radius *= kRadiusFactor) {
    CurvatureStep step = curvature_step(problem, c, radius);
    if (!steps.empty() && !(step.lambda_limit > steps.back().lambda_limit)) break;
    if (!(step.alpha > 0)) break;
    steps.push_back(std::move(step));
  }
  if (steps.empty() || !(lambda > 0) || lambda >= steps.back().lambda_limit) return steps;
  // The shortest ball with α(r)r > λ|∂C|, between the steps on both sides of λ.
  const auto above = std::upper_bound(steps.begin(), steps.end(), lambda, [](double value, const CurvatureStep& step) {
    return value < step.lambda_limit;
  });
  double low = above == steps.begin() ? 0 : std::prev(above)->radius;
  double high = above->radius;
  CurvatureStep shortest = *above;
  for (int halving = 0; halving < 20; ++halving) {
    const double middle = (low + high) / 2;
    CurvatureStep step = curvature_step(problem, c, middle);
    if (step.lambda_limit > lambda) {
      high = middle;
      shortest = std::move(step);
    } else {
      low = middle;
    }
  }
  if (shortest.radius < above->radius) steps.insert(above, std::move(shortest));
  return steps;
}

}  // namespace

ClusterMinimiser minimise_cluster(const Problem& problem, std::span<const NodeId> nodes) {
  ClusterMinimiser result;
  result.w = Vector::Zero(problem.dimension());
  const bool quadratic = is_quadratic(problem, nodes);
  if (!quadratic) {
    std::vector<const LocalLoss*> losses;
    losses.reserve(nodes.size());
    for (const NodeId i : nodes) losses.push_back(&problem.loss(i));
    LocalMinimiser found = minimise_locally(*sum_loss(std::move(losses)));
    result.w = std::move(found.w);
    result.attained = found.attained;
  }
  result.hessian = spectral_inverse(cluster_hessian(problem, nodes, result.w));
  // Newton steps: the first solves a quadratic problem, the others remove what rounding has left.
  constexpr int kSteps = 3;
  result.gradients = cluster_gradients(problem, nodes, result.w);
  result.residual = result.gradients.rowwise().sum();
  for (int step = 0; step < kSteps && result.attained; ++step) {
    const Vector w = result.w - result.hessian.inverse * result.residual;
    Matrix gradients = cluster_gradients(problem, nodes, w);
    const Vector residual = gradients.rowwise().sum();
    if (!(residual.norm() < result.residual.norm())) break;
    result.w = w;
    result.gradients = std::move(gradients);
    result.residual = residual;
  }
  // Twice the Newton step that is left: f_C is nearly quadratic at this distance.
  result.error = 2 * norm_of(problem.penalty(), result.hessian.inverse * result.residual);
  return result;
}

double ClusterConstants::deviation_bound(double lambda) const {
  for (const CurvatureStep& step : steps) {
    if (lambda < step.lambda_limit && step.alpha > 0) return lambda * boundary / step.alpha;
  }
  return kInfinite;
}

ClusterConstants cluster_constants(const Problem& problem, std::span<const NodeId> nodes, Vector boundary_of,
                                   double lambda) {
  ClusterConstants c;
  c.nodes.assign(nodes.begin(), nodes.end());
  const auto size = static_cast<Index>(nodes.size());
  c.quadratic = is_quadratic(problem, nodes);
  c.boundary_of = std::move(boundary_of);
  c.boundary = c.boundary_of.sum();
  c.minimiser = minimise_cluster(problem, nodes);
  c.delta = Vector::Zero(size);
  if (!c.minimiser.attained) return c;
  c.steps = curvature_steps(problem, c, lambda);
  const double reach = c.minimiser.error + kGradientRounding * norm_of(problem.penalty(), c.minimiser.w);
  for (Index k = 0; k < size; ++k) {
    const double beta = c.steps.empty() ? 0 : c.steps.front().beta[k];
    c.delta[k] = (1 + kGradientRounding) * dual_norm_of(problem.penalty(), c.minimiser.gradients.col(k)) + beta * reach;
  }
  return c;
}

}  // namespace gtvmin
