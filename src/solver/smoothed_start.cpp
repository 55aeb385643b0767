#include "gtvmin/solver/smoothed_start.h"

#include <algorithm>
#include <functional>
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

std::optional<SmoothedPair> solve_smoothed(const Problem& problem, double objective, const SolverOptions& options,
                                           const std::function<double()>& seconds) {
  constexpr double kLeastSeconds = 1e-3;
  const SolveContext clock{.seconds = seconds, .observe = {}};
  const auto now = [&] { return seconds ? seconds() : 0; };
  const double began = now();
  // Wide enough at first for Newton's method, then ever narrower, which takes fewer rounds.
  constexpr double kRelativeError = 1e-2;
  constexpr double kNarrower = 0.6;
  constexpr int kMostRounds = 30;
  constexpr std::int64_t kMostIterations = 2000;
  double error = kRelativeError * objective / problem.nodes();
  std::vector<Vector> multipliers;
  multipliers.reserve(problem.nodes());
  for (NodeId i = 0; i < problem.nodes(); ++i) multipliers.emplace_back(Vector::Zero(problem.loss(i).multipliers()));

  SolverOptions inner = options;
  inner.max_iterations = kMostIterations;
  inner.tolerance = options.tolerance / 10;
  std::optional<SmoothedPair> best;
  std::int64_t newton_steps = 0;
  SolveResult last;
  for (int round = 0; round < kMostRounds; ++round) {
    const auto smooth = smoothed_problem(problem, error, multipliers);
    if (!smooth) return best;
    if (options.time_limit > 0) inner.time_limit = std::max(kLeastSeconds, options.time_limit - (now() - began));
    last = round == 0 ? solve(*smooth, inner, clock)
                      : solve(*smooth, inner, WarmStart{last.w, last.u, problem.lambda(), last.primal_weight}, clock);
    for (NodeId i = 0; i < problem.nodes(); ++i) {
      problem.loss(i).update_multipliers(last.w.col(i), error, multipliers[i]);
    }
    newton_steps += last.newton_steps;
    Certified certified = certify(problem, last.w, last.u);
    const bool better = !best || certified.certificate.relative < best->certified.certificate.relative;
    if (is_bound(certified.certificate) && better) best = {last.w, std::move(certified), 0};
    if (best) best->newton_steps = newton_steps;
    if (best && best->certified.certificate.relative <= options.tolerance) return best;
    if (last.status == SolveStatus::kTimeLimit) return best;
    error *= kNarrower;
  }
  return best;
}

}  // namespace gtvmin
