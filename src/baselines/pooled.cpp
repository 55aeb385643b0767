#include "group_minimiser.h"
#include "methods.h"

namespace gtvmin {
namespace {

BaselineResult run_pooled(const BaselineInput& input, const BaselineOptions& options, const BaselineContext& context) {
  const Partition everybody{.group_of = std::vector<NodeId>(input.problem.nodes(), 0), .groups = 1};
  return run_groups(input, everybody, options, context);
}

}  // namespace

Baseline pooled_baseline() {
  return {.name = "pooled",
          .help = "one model for all nodes: the minimiser of the sum of all local losses",
          .options = {},
          .refusal = group_refusal,
          .tunables = nothing_to_tune,
          .run = run_pooled};
}

}  // namespace gtvmin
