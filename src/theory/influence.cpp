#include "gtvmin/theory/influence.h"

#include <algorithm>
#include <limits>
#include <variant>

#include "gtvmin/solver/local_minimiser.h"
#include "gtvmin/theory/hessian_bounds.h"
#include "gtvmin/theory/norm_constants.h"

namespace gtvmin {
namespace {

double force_of_neighbours(const Problem& problem, NodeId i) {
  double degree = 0;
  for (const Incidence& edge : problem.graph().incident(i)) degree += problem.graph().weight(edge.edge);
  return problem.lambda() * degree;
}

double modulus_in_ball(const Problem& problem, const LocalLoss& loss, const Vector& centre, double radius) {
  return strong_convexity_constant(problem.penalty(),
                                   spectral_inverse(hessian_bounds(loss, problem.penalty(), centre, radius).lower));
}

/// α of a quadratic loss. Its eigenvalues are known, so that most nodes need no factorisation.
double quadratic_modulus(const Problem& problem, const LocalLoss& loss) {
  const QuadraticForm* form = loss.quadratic_form();
  const Index d = loss.dimension();
  if (form == nullptr) return modulus_in_ball(problem, loss, Vector::Zero(d), 0);
  const Eigen::Map<const Vector> eigenvalues(form->eigenvalues, form->rank);
  const double least = form->rank < d ? form->floor : eigenvalues.minCoeff();
  if (!(least > 0)) return 0;
  if (!std::holds_alternative<L2Penalty>(problem.penalty())) {
    return modulus_in_ball(problem, loss, Vector::Zero(d), 0);
  }
  const double largest = form->rank > 0 ? std::max(form->floor, eigenvalues.maxCoeff()) : form->floor;
  return least - eigenvalue_rounding(largest, d);
}

/// The fixed point r = force/α(r) from below: α falls as the ball grows. Beyond e^{−kLargestReach} of its curvature at
/// the centre a loss counts as flat.
std::optional<double> bound_in_ball(const Problem& problem, const LocalLoss& loss, double force) {
  constexpr double kLargestReach = 50;
  constexpr int kMostRounds = 100;
  constexpr double kGrowth = 1 + 1e-6;
  const LocalMinimiser alone = minimise_locally(loss);
  if (!alone.attained) return std::nullopt;
  const double size = largest_feature_norm(loss, problem.penalty());
  double radius = 0;
  for (int step = 0; step < kMostRounds && radius * size <= kLargestReach; ++step) {
    const double alpha = modulus_in_ball(problem, loss, alone.w, radius);
    if (!(alpha > 0)) return std::nullopt;
    if (force < alpha * radius) return force / alpha;
    radius = kGrowth * force / alpha;
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> influence_bound(const Problem& problem, NodeId i) {
  const LocalLoss& loss = problem.loss(i);
  if (!is_norm(problem.penalty()) || loss.is_trivial() || !analysis_refusal(loss).empty()) return std::nullopt;
  const double force = force_of_neighbours(problem, i);
  if (!loss.hessian_is_constant()) return bound_in_ball(problem, loss, force);
  const double alpha = quadratic_modulus(problem, loss);
  return alpha > 0 ? std::optional(force / alpha) : std::nullopt;
}

Vector influence_bounds(const Problem& problem, ThreadTeam& team) {
  constexpr Index kChunk = 64;
  Vector bounds(problem.nodes());
  team.run(problem.nodes(), kChunk, [&](int /*worker*/, Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const std::optional<double> bound = influence_bound(problem, static_cast<NodeId>(i));
      bounds[i] = bound ? *bound : std::numeric_limits<double>::quiet_NaN();
    }
  });
  return bounds;
}

}  // namespace gtvmin
