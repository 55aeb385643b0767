#include "fedavg.h"

#include <utility>

#include "clients.h"
#include "methods.h"
#include "rounds.h"
#include "step_sizes.h"

namespace gtvmin {
namespace {

BaselineResult run_fedavg(const BaselineInput& input, const BaselineOptions& options, const BaselineContext& context) {
  const Partition everybody{.group_of = std::vector<NodeId>(input.problem.nodes(), 0), .groups = 1};
  return fedavg_in_groups(input, options, context, everybody);
}

}  // namespace

BaselineResult fedavg_in_groups(const BaselineInput& input, const BaselineOptions& options,
                                const BaselineContext& context, const Partition& groups) {
  Rounds rounds(input, options, context);
  Clients clients(input, options);
  std::vector<std::vector<NodeId>> members(static_cast<std::size_t>(groups.groups));
  for (const NodeId i : clients.clients()) members[groups.group_of[i]].push_back(i);
  Matrix models = clients.start().replicate(1, groups.groups);
  Matrix trained(clients.dimension(), clients.nodes());
  Matrix w;
  do {
    std::vector<NodeId> participants;
    for (NodeId group = 0; group < groups.groups; ++group) {
      const std::vector<NodeId> drawn = clients.draw(members[group], rounds.done(), group);
      participants.insert(participants.end(), drawn.begin(), drawn.end());
    }
    clients.train_and_average(participants, groups.group_of, rounds.done(), trained, models);
    w = models(Eigen::all, groups.group_of);
  } while (rounds.another(w));
  return rounds.result(std::move(w));
}

std::vector<Tunable> fedavg_tunables(const BaselineInput& input, const BaselineOptions& options) {
  if (options.learning_rate > 0) return {};
  constexpr double kMultiples[] = {0.01, 0.03, 0.1, 0.3, 1, 3};
  Clients clients(input, options);
  return {tunable_learning_rate(kMultiples, largest_curvature(clients))};
}

std::span<const char* const> fedavg_options() {
  static constexpr const char* kOptions[] = {"rounds",        "tol",           "local-epochs", "batch-size",
                                             "learning-rate", "participation", "weighting",    "validation-share",
                                             "threads"};
  return kOptions;
}

Baseline fedavg_baseline() {
  return {.name = "fedavg",
          .help = "one model for all nodes, by rounds of local training and averaging (McMahan et al. 2017)",
          .options = fedavg_options(),
          .refusal = client_refusal,
          .tunables = fedavg_tunables,
          .run = run_fedavg};
}

}  // namespace gtvmin
