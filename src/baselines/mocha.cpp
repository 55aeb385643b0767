#include <fmt/format.h>

#include <utility>

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
  SolveResult solved =
      solve(problem, {.tolerance = options.tolerance, .max_iterations = options.rounds, .threads = options.threads});
  rounds.record(solved.w);
  BaselineResult result = rounds.result(std::move(solved.w));
  result.rounds = solved.iterations;
  result.notes.push_back(fmt::format("with φ = ½‖·‖² the objective is {:.9g}, certificate: {}, {:.3g} relative{}",
                                     solved.objective, to_string(solved.certificate.kind), solved.certificate.relative,
                                     solved.status == SolveStatus::kSolved ? "" : "; stopped at the limit of rounds"));
  return result;
}

constexpr const char* kOptions[] = {"rounds", "tol", "threads"};

}  // namespace

Baseline mocha_baseline() {
  return {.name = "mocha",
          .help =
              "the objective of MOCHA (Smith et al. 2017): GTV minimisation with φ = ½‖·‖², half the paper's "
              "‖·‖², by this solver until the certificate is within tolerance or rounds iterations are done",
          .options = kOptions,
          .needs_lambda = true,
          .refusal = serves_all,
          .tunables = nothing_to_tune,
          .run = run_mocha};
}

}  // namespace gtvmin
