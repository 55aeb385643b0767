#include "gtvmin/problem/problem.h"

#include <fmt/format.h>

#include <cmath>
#include <type_traits>
#include <utility>
#include <variant>

#include "gtvmin/base/exact_sum.h"

namespace gtvmin {

Problem::Problem(EmpiricalGraph graph, std::vector<LossPtr> losses, Penalty penalty, double lambda)
    : graph_(std::move(graph)),
      losses_(std::move(losses)),
      penalty_(std::move(penalty)),
      lambda_(lambda),
      dimension_(losses_.front()->dimension()) {}

Result<Problem> Problem::make(EmpiricalGraph graph, std::vector<LossPtr> losses, Penalty penalty, double lambda) {
  if (graph.nodes() == 0) return bad_input("the problem has no nodes");
  if (static_cast<NodeId>(losses.size()) != graph.nodes()) {
    return bad_input(fmt::format("{} losses for {} nodes", losses.size(), graph.nodes()));
  }
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (!losses[i]) return bad_input(fmt::format("node {} has no loss", i));
    if (losses[i]->dimension() < 1 || losses[i]->dimension() != losses[0]->dimension()) {
      return bad_input(fmt::format("the loss of node {} has dimension {}, that of node 0 has {}", i,
                                   losses[i]->dimension(), losses[0]->dimension()));
    }
    if (losses[i]->parameters() != losses[0]->parameters()) {
      return bad_input(fmt::format("the model of node {} has {} parameters, that of node 0 has {}", i,
                                   losses[i]->parameters(), losses[0]->parameters()));
    }
  }
  if (!std::isfinite(lambda) || lambda < 0) return bad_input(fmt::format("lambda = {} is not a number ≥ 0", lambda));
  // Squares of flows must not leave the range of doubles.
  constexpr double kLeastCapacity = 1e-140;
  constexpr double kLargestCapacity = 1e140;
  for (EdgeId e = 0; e < graph.edges() && lambda > 0; ++e) {
    const double capacity = lambda * graph.weight(e);
    if (capacity >= kLeastCapacity && capacity <= kLargestCapacity) continue;
    return bad_input(
        fmt::format("edge {}-{}: lambda times its weight is {}, outside {} to {}; rescale weights or lambda",
                    graph.head(e), graph.tail(e), capacity, kLeastCapacity, kLargestCapacity));
  }
  if (const auto* quadratic = std::get_if<QuadraticPenalty>(&penalty);
      quadratic != nullptr && quadratic->dimension() != losses[0]->dimension()) {
    return bad_input(fmt::format("the penalty matrix Q is {0} × {0}, but the models have {1} parameters",
                                 quadratic->dimension(), losses[0]->dimension()));
  }
  return Problem(std::move(graph), std::move(losses), std::move(penalty), lambda);
}

bool is_curved_everywhere(const Problem& problem) {
  return every_loss(problem, [&](const LocalLoss& loss) {
    const QuadraticForm* form = loss.quadratic_form();
    return form != nullptr && (form->floor != 0 || form->rank == problem.dimension());
  });
}

bool is_convex(const Problem& problem) {
  return every_loss(problem, [](const LocalLoss& loss) { return loss.is_convex(); });
}

bool has_kinks(const Problem& problem) {
  return !every_loss(problem, [](const LocalLoss& loss) { return loss.is_smooth(); });
}

Matrix start_point(const Problem& problem) {
  Matrix w(problem.dimension(), problem.nodes());
  for (NodeId i = 0; i < problem.nodes(); ++i) problem.loss(i).start(w.col(i));
  return w;
}

Matrix all_parameters(const Problem& problem, const Matrix& w) {
  Matrix all(problem.loss(0).parameters(), problem.nodes());
  for (NodeId i = 0; i < problem.nodes(); ++i) problem.loss(i).complete(w.col(i), all.col(i));
  return all;
}

Vector node_losses(const Problem& problem, const Matrix& w) {
  Vector losses(problem.nodes());
  for (NodeId i = 0; i < problem.nodes(); ++i) losses[i] = problem.loss(i).value(w.col(i));
  return losses;
}

Matrix loss_gradients(const Problem& problem, const Matrix& w) {
  Matrix gradients(w.rows(), w.cols());
  for (NodeId i = 0; i < problem.nodes(); ++i) problem.loss(i).gradient(w.col(i), gradients.col(i));
  return gradients;
}

Matrix node_residuals(const Problem& problem, const Matrix& w, const Matrix& u) {
  return loss_gradients(problem, w) + apply_incidence_transpose(problem.graph(), u);
}

double total_loss(const Problem& problem, ConstMatrixRef w) {
  ExactSum sum;
  for (NodeId i = 0; i < problem.nodes(); ++i) sum.add(problem.loss(i).value(w.col(i)));
  return sum.value();
}

double total_variation(const Problem& problem, ConstMatrixRef w) {
  const auto& graph = problem.graph();
  ExactSum sum;
  Vector difference(problem.dimension());
  std::visit(
      [&](const auto& penalty) {
        for (EdgeId e = 0; e < graph.edges(); ++e) {
          difference = w.col(graph.head(e)) - w.col(graph.tail(e));
          sum.add(graph.weight(e) * penalty.value(difference.data(), problem.dimension()));
        }
      },
      problem.penalty());
  return sum.value();
}

double objective(const Problem& problem, ConstMatrixRef w) {
  return total_loss(problem, w) + problem.lambda() * total_variation(problem, w);
}

void project_flow(const Problem& problem, MatrixRef u) {
  Vector scratch(u.rows());
  std::visit(
      [&](const auto& penalty) {
        // Other penalties have no bounds on the flow, and for them this would not be a projection.
        if constexpr (std::decay_t<decltype(penalty)>::kIsNorm) {
          for (EdgeId e = 0; e < problem.edges(); ++e) {
            penalty.dual_update(u.data() + e * u.outerStride(), u.rows(), problem.kappa(e), 1, scratch.data());
          }
        }
      },
      problem.penalty());
}

}  // namespace gtvmin
