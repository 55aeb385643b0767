#include "group_minimiser.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "gtvmin/loss/sum_loss.h"
#include "gtvmin/solver/local_minimiser.h"
#include "gtvmin/solver/solver.h"
#include "joined_samples.h"
#include "rounds.h"

namespace gtvmin {
namespace {

using Stop = std::function<bool()>;

std::vector<std::vector<NodeId>> members_of(const Partition& groups) {
  std::vector<std::vector<NodeId>> members(groups.groups);
  for (std::size_t i = 0; i < groups.group_of.size(); ++i)
    members[groups.group_of[i]].push_back(static_cast<NodeId>(i));
  return members;
}

/// All nodes are tied to one without samples. At the optimum an edge carries the slope of its own node alone, so that
/// a λ above the steepest makes them equal.
LocalMinimiser minimise_on_star(const BaselineInput& input, const std::vector<NodeId>& members, const Stop& stop) {
  Dataset dataset = select_nodes(*input.dataset, members);
  const NodeId hub = dataset.nodes();
  dataset.edges.reserve(members.size());
  for (NodeId k = 0; k < hub; ++k) dataset.edges.push_back({k, hub, 1});
  dataset.node_names.emplace_back("hub");
  dataset.first_sample.push_back(dataset.samples());
  double lambda = 1e-6;
  Vector gradient(input.problem.dimension());
  Vector start(input.problem.dimension());
  for (const NodeId i : members) {
    input.problem.loss(i).start(start);
    input.problem.loss(i).gradient(start, gradient);
    lambda = std::max(lambda, 2 * gradient.norm());
  }
  constexpr int kMostAttempts = 6;
  Vector w = start;
  const SolveContext watched{.seconds = {}, .observe = [&](const IterationRecord&) { return !stop(); }};
  for (int attempt = 0; attempt < kMostAttempts && !stop(); ++attempt, lambda *= 4) {
    const Result<Problem> star = make_problem(dataset, *input.model, {}, *make_penalty("l2"), lambda);
    const SolveResult result = solve(*star, {.tolerance = 1e-9, .max_iterations = 20'000, .threads = 1}, watched);
    w = result.w.col(hub);
    if (result.clusters.groups == 1) break;
  }
  return {w, true};
}

LocalMinimiser minimise_group(const BaselineInput& input, const std::vector<NodeId>& members, const Stop& stop) {
  const Problem& problem = input.problem;
  if (!is_convex(problem)) {
    const Dataset joined = select_nodes(*input.dataset, members);
    const LossPtr loss = input.model->loss(joined.features, joined.labels);
    return {minimise_locally(*loss, stop).w, true};  // of a net nobody knows
  }
  if (!every_loss(problem, [](const LocalLoss& loss) { return loss.has_hessian(); })) {
    const LossPtr joined = sum_of_its_kind(input, members);
    return joined != nullptr ? minimise_locally(*joined, stop) : minimise_on_star(input, members, stop);
  }
  std::vector<const LocalLoss*> losses;
  losses.reserve(members.size());
  for (const NodeId i : members) losses.push_back(&problem.loss(i));
  return minimise_locally(*sum_loss(std::move(losses)), stop);
}

}  // namespace

std::string group_refusal(const BaselineInput& input, const BaselineOptions& /*options*/) {
  const bool by_losses =
      is_convex(input.problem) && every_loss(input.problem, [](const LocalLoss& loss) { return loss.has_hessian(); });
  if (by_losses) return {};
  if (input.dataset == nullptr || input.model == nullptr) return "losses without a Hessian need their samples";
  const bool private_parts =
      !every_loss(input.problem, [](const LocalLoss& loss) { return loss.parameters() == loss.dimension(); });
  return private_parts ? "some parameters are private, and this model cannot be pooled without them" : "";
}

BaselineResult run_groups(const BaselineInput& input, const Partition& groups, const BaselineOptions& options,
                          const BaselineContext& context) {
  Rounds rounds(input, options, context);
  const Stop stop = [&] { return rounds.asked_to_stop(); };
  Matrix w(input.problem.dimension(), input.problem.nodes());
  std::vector<std::string> notes;
  for (const std::vector<NodeId>& members : members_of(groups)) {
    const LocalMinimiser common = minimise_group(input, members, stop);
    for (const NodeId i : members) w.col(i) = common.w;
    if (common.attained || rounds.interrupted()) continue;
    notes.push_back(
        fmt::format("the sum of the losses of node {} and {} more has no minimiser; its parameters "
                    "lie far out",
                    input.name(members.front()), members.size() - 1));
  }
  rounds.record(w);
  BaselineResult result = rounds.result(std::move(w));
  result.notes = std::move(notes);
  return result;
}

}  // namespace gtvmin
