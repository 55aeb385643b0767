#include <fmt/format.h>

#include <utility>

#include "gtvmin/solver/local_minimiser.h"
#include "methods.h"
#include "rounds.h"

namespace gtvmin {
namespace {

BaselineResult run_local(const BaselineInput& input, const BaselineOptions& options, const BaselineContext& context) {
  Rounds rounds(input, options, context);
  Matrix w(input.problem.dimension(), input.problem.nodes());
  std::vector<std::string> notes;
  const auto stop = [&] { return rounds.asked_to_stop(); };
  for (NodeId i = 0; i < input.problem.nodes(); ++i) {
    const LocalMinimiser minimiser = minimise_locally(input.problem.loss(i), stop);
    w.col(i) = minimiser.w;
    // Of a net nobody knows.
    if (minimiser.attained || rounds.interrupted() || !input.problem.loss(i).is_convex()) continue;
    notes.push_back(fmt::format("the loss of node {} has no minimiser; its parameters lie far out", input.name(i)));
  }
  rounds.record(w);
  BaselineResult result = rounds.result(std::move(w));
  result.notes = std::move(notes);
  return result;
}

}  // namespace

Baseline local_baseline() {
  return {.name = "local",
          .help = "every node alone: the minimiser of its loss, of least norm if it is not unique",
          .options = {},
          .refusal = serves_all,
          .tunables = nothing_to_tune,
          .run = run_local};
}

}  // namespace gtvmin
