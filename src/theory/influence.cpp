#include "gtvmin/theory/influence.h"

#include <array>
#include <cmath>

#include "gtvmin/theory/cluster_constants.h"
#include "gtvmin/theory/hessian_bounds.h"

namespace gtvmin {

std::optional<double> influence_bound(const Problem& problem, NodeId i) {
  if (!is_norm(problem.penalty()) || !analysis_refusal(problem.loss(i)).empty()) return std::nullopt;
  const double degree = boundary_weight(problem.graph(), i, [](NodeId) { return true; });
  const ClusterConstants node =
      cluster_constants(problem, std::array{i}, Vector::Constant(1, degree), problem.lambda());
  const double bound = node.deviation_bound(problem.lambda());
  return std::isfinite(bound) ? std::optional(bound) : std::nullopt;
}

}  // namespace gtvmin
