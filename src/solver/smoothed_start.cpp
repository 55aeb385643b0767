#include "gtvmin/solver/smoothed_start.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "gtvmin/loss/quadratic_loss.h"

namespace gtvmin {
namespace {

/// A penalty of the user's own cannot be copied.
std::optional<Penalty> copied(const Penalty& penalty) {
  return std::visit(
      [](const auto& one) -> std::optional<Penalty> {
        if constexpr (std::is_copy_constructible_v<std::decay_t<decltype(one)>>) return Penalty(one);
        return std::nullopt;
      },
      penalty);
}

/// Losses with kinks smoothed around their multipliers; the others, which must be quadratic, as they are.
std::optional<Problem> smoothed_problem(const Problem& problem, double error, const std::vector<Vector>& multipliers) {
  auto penalty = copied(problem.penalty());
  if (!penalty) return std::nullopt;
  std::vector<LossPtr> losses;
  for (NodeId i = 0; i < problem.nodes(); ++i) {
    const LocalLoss* loss = &problem.loss(i);
    const bool quadratic = loss->quadratic_form() != nullptr;
    losses.push_back(quadratic ? QuadraticLoss::sum({&loss, 1}) : loss->smoothed(error, multipliers[i]));
    if (losses.back() == nullptr) return std::nullopt;
  }
  return *Problem::make(problem.graph(), std::move(losses), *std::move(penalty), problem.lambda());
}

}  // namespace

std::optional<SmoothedPair> solve_smoothed(const Problem& problem, double objective, const SolverOptions& options) {
  // Wide enough at first for Newton's method, then ever narrower, which takes fewer rounds.
  constexpr double kRelativeError = 1e-2;
  constexpr double kNarrower = 0.6;
  constexpr int kMostRounds = 30;
  constexpr std::int64_t kMostIterations = 2000;
  double error = kRelativeError * objective / problem.nodes();
  std::vector<Vector> multipliers;
  for (NodeId i = 0; i < problem.nodes(); ++i) multipliers.emplace_back(Vector::Zero(problem.loss(i).multipliers()));

  SolverOptions inner = options;
  inner.max_iterations = kMostIterations;
  inner.tolerance = options.tolerance / 10;
  std::optional<SmoothedPair> best;
  SolveResult last;
  for (int round = 0; round < kMostRounds; ++round) {
    const auto smooth = smoothed_problem(problem, error, multipliers);
    if (!smooth) return best;
    last = round == 0 ? solve(*smooth, inner)
                      : solve(*smooth, inner, WarmStart{last.w, last.u, problem.lambda(), last.primal_weight});
    for (NodeId i = 0; i < problem.nodes(); ++i) {
      problem.loss(i).update_multipliers(last.w.col(i), error, multipliers[i]);
    }
    Certified certified = certify(problem, last.w, last.u);
    if (!best || certified.certificate.relative < best->certified.certificate.relative) {
      best = {last.w, std::move(certified)};
    }
    if (best->certified.certificate.relative <= options.tolerance) return best;
    error *= kNarrower;
  }
  return best;
}

}  // namespace gtvmin
