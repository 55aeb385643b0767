#include "gtvmin/problem/node_weights.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "gtvmin/loss/scaled_loss.h"

namespace gtvmin {
namespace {

Result<Penalty> copied(const Penalty& penalty) {
  return std::visit(
      [](const auto& alternative) -> Result<Penalty> {
        if constexpr (std::is_copy_constructible_v<std::decay_t<decltype(alternative)>>) {
          return Penalty(alternative);
        } else {
          return usage_error("node weights need a penalty of the library: scale the losses instead");
        }
      },
      penalty);
}

}  // namespace

Result<Problem> weigh_nodes(Problem problem, const Vector& weights) {
  if (weights.size() != problem.nodes()) {
    return bad_input(fmt::format("{} weights for {} nodes", weights.size(), problem.nodes()));
  }
  for (NodeId i = 0; i < problem.nodes(); ++i) {
    if (std::isfinite(weights[i]) && weights[i] > 0) continue;
    return bad_input(fmt::format("the weight of node {} is {}, not a number > 0", i, weights[i]));
  }
  Result<Penalty> penalty = copied(problem.penalty());
  if (!penalty) return penalty.error();
  const double lambda = problem.lambda();
  EmpiricalGraph graph = problem.graph();
  // The losses stay where they are, and live as long as one of those that scale them.
  const auto owner = std::make_shared<const Problem>(std::move(problem));
  std::vector<LossPtr> losses;
  losses.reserve(static_cast<std::size_t>(owner->nodes()));
  for (NodeId i = 0; i < owner->nodes(); ++i) {
    losses.push_back(scaled_loss(std::shared_ptr<const LocalLoss>(owner, &owner->loss(i)), weights[i]));
  }
  return Problem::make(std::move(graph), std::move(losses), *std::move(penalty), lambda);
}

}  // namespace gtvmin
