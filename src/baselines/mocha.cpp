#include <fmt/format.h>

#include <utility>
#include <variant>

#include "gtvmin/loss/borrowed_loss.h"
#include "gtvmin/solver/solver.h"
#include "methods.h"
#include "rounds.h"

namespace gtvmin {
namespace {

/// The same losses on the same graph with φ = ½‖·‖².
Problem with_squared_penalty(const Problem& problem) {
  std::vector<LossPtr> losses;
  losses.reserve(static_cast<std::size_t>(problem.nodes()));
  for (NodeId i = 0; i < problem.nodes(); ++i) losses.push_back(borrowed_loss(problem.loss(i)));
  return *Problem::make(problem.graph(), std::move(losses), SquaredL2Penalty{}, problem.lambda());
}

BaselineResult run_mocha(const BaselineInput& input, const BaselineOptions& options, const BaselineContext& context) {
  Rounds rounds(input, options, context);
  const Problem problem = with_squared_penalty(input.problem);
  const SolveContext watched{.seconds = {}, .observe = [&](const IterationRecord&) { return !rounds.asked_to_stop(); }};
  SolveResult solved = solve(
      problem, {.tolerance = options.tolerance, .max_iterations = options.rounds, .threads = options.threads}, watched);
  rounds.record(solved.w);
  BaselineResult result = rounds.result(std::move(solved.w));
  result.rounds = solved.iterations;
  if (solved.status == SolveStatus::kIterationLimit) {
    result.notes.push_back(fmt::format("stopped at the limit of {} rounds", options.rounds));
  }
  if (!std::holds_alternative<SquaredL2Penalty>(input.problem.penalty())) {
    result.notes.push_back(fmt::format(
        "with φ = ½‖·‖², which is what the certificate is about, the objective is {:.9g}", solved.objective));
  }
  result.certificate = std::move(solved.certificate);
  return result;
}

}  // namespace

Baseline mocha_baseline() {
  static constexpr const char* kOptions[] = {"rounds", "tol", "threads"};
  return {.name = "mocha",
          .help =
              "the objective of MOCHA (Smith et al. 2017), GTV minimisation with φ = ½‖·‖² (half the paper's ‖·‖²), by "
              "this solver; it stops when the certificate is within tol or after rounds iterations",
          .options = kOptions,
          .needs_lambda = true,
          .refusal = serves_all,
          .tunables = nothing_to_tune,
          .run = run_mocha};
}

}  // namespace gtvmin
