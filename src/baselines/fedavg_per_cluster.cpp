#include "clients.h"
#include "fedavg.h"
#include "methods.h"

namespace gtvmin {
namespace {

BaselineResult run_in_clusters(const BaselineInput& input, const BaselineOptions& options,
                               const BaselineContext& context) {
  return fedavg_in_groups(input, options, context, *input.clusters);
}

}  // namespace

Baseline fedavg_per_cluster_baseline() {
  return {.name = "fedavg-per-cluster",
          .help = "fedavg within every true cluster; the paper's C_FedAvg",
          .options = fedavg_options(),
          .needs_clusters = true,
          .refusal = client_refusal,
          .tunables = fedavg_tunables,
          .run = run_in_clusters};
}

}  // namespace gtvmin
