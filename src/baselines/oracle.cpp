#include "group_minimiser.h"
#include "methods.h"

namespace gtvmin {
namespace {

BaselineResult run_oracle(const BaselineInput& input, const BaselineOptions& options, const BaselineContext& context) {
  return run_groups(input, *input.clusters, options, context);
}

}  // namespace

Baseline oracle_baseline() {
  return {.name = "oracle",
          .help = "one model per true cluster: the minimiser of the sum of its nodes' losses; the paper's reference",
          .options = {},
          .needs_clusters = true,
          .refusal = group_refusal,
          .tunables = nothing_to_tune,
          .run = run_oracle};
}

}  // namespace gtvmin
