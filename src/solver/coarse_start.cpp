#include "gtvmin/solver/coarse_start.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>
#include <variant>
#include <vector>

#include "gtvmin/second_order/contraction.h"
#include "gtvmin/second_order/laplacian_system.h"
#include "gtvmin/solver/shard.h"
#include "gtvmin/solver/steering.h"
#include "gtvmin/solver/sweeps.h"

namespace gtvmin {
namespace {

constexpr NodeId kCoarsestNodes = 20;
constexpr int kIterations = 60;  // on a level
constexpr int kMeasureEvery = 20;
constexpr double kCoarseRelaxation = 1.8;
constexpr int kSmoothingSteps = 8;
constexpr double kAccuracy = 1e-4;  // of a level

struct Level {
  std::unique_ptr<Problem> problem;          // null for the finest, which the caller owns
  std::unique_ptr<Contraction> contraction;  // to the next coarser level
};

/// Pairs of neighbours; who finds none joins a neighbour's pair. Small groups first, so that sizes stay alike.
Partition pair_neighbours(const EmpiricalGraph& graph, const std::vector<NodeId>& sizes) {
  std::vector<NodeId> order(graph.nodes());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](NodeId a, NodeId b) { return sizes[a] < sizes[b]; });
  std::vector<NodeId> leader(graph.nodes(), -1);
  const auto closest = [&](NodeId i, bool paired) {
    NodeId best = -1;
    double most = 0;
    for (const auto& incidence : graph.incident(i)) {
      const double closeness = graph.weight(incidence.edge) / sizes[incidence.neighbour];
      if ((leader[incidence.neighbour] >= 0) != paired || closeness <= most) continue;
      most = closeness;
      best = incidence.neighbour;
    }
    return best;
  };
  for (const NodeId i : order) {
    const NodeId mate = leader[i] < 0 ? closest(i, false) : -1;
    if (mate >= 0) leader[i] = leader[mate] = i;
  }
  const std::vector<NodeId> pairs = leader;
  for (const NodeId i : order) {
    if (pairs[i] >= 0) continue;
    const NodeId host = closest(i, true);
    leader[i] = host >= 0 ? leader[host] : i;
  }
  Partition groups;
  groups.group_of.assign(graph.nodes(), -1);
  std::vector<NodeId> number(graph.nodes(), -1);
  for (NodeId i = 0; i < graph.nodes(); ++i) {
    auto& group = number[leader[i]];
    if (group < 0) group = groups.groups++;
    groups.group_of[i] = group;
  }
  return groups;
}

/// The same penalty; only for those without data.
std::optional<Penalty> same_norm(const Penalty& penalty) {
  return std::visit(
      [](const auto& norm) -> std::optional<Penalty> {
        using PenaltyType = std::decay_t<decltype(norm)>;
        if constexpr (PenaltyType::kIsNorm && std::is_copy_constructible_v<PenaltyType>) return Penalty(norm);
        return std::nullopt;
      },
      penalty);
}

/// How many edges lie between where the search of a component begins and its farthest node.
double reach(const EmpiricalGraph& graph) {
  const auto distance = breadth_first(graph).distance;
  return *std::max_element(distance.begin(), distance.end());
}

/// A mode that spans the graph is damped best by a primal weight that falls as the span grows.
double slowness(double per_reach, double reach) { return std::min(0.1, per_reach / std::max(1.0, reach)); }

/// Inside every group sends along a tree what nodes miss, so that they miss only their group's mean.
void route_in_groups(const Contraction& groups, const Matrix& w, Matrix& u) {
  const Problem& problem = groups.problem();
  const auto& graph = problem.graph();
  Matrix missing = node_residuals(problem, w, u);
  std::vector<Incidence> up(graph.nodes());  // the edge to the node's parent
  std::vector<char> seen(graph.nodes(), 0);
  std::vector<NodeId> order;
  for (NodeId group = 0; group < groups.graph().nodes(); ++group) {
    const auto members = groups.members(group);
    Vector mean = Vector::Zero(w.rows());
    for (const NodeId i : members) mean += missing.col(i);
    mean /= static_cast<double>(members.size());
    order.assign(1, members.front());
    seen[members.front()] = 1;
    for (std::size_t k = 0; k < order.size(); ++k) {
      missing.col(order[k]) -= mean;
      for (const auto& incidence : graph.incident(order[k])) {
        const NodeId child = incidence.neighbour;
        if (seen[child] != 0 || groups.partition().group_of[child] != group) continue;
        seen[child] = 1;
        up[child] = {incidence.edge, order[k], -incidence.sign};
        order.push_back(child);
      }
    }
    for (std::size_t k = order.size() - 1; k > 0; --k) {
      const auto& [edge, parent, sign] = up[order[k]];
      u.col(edge) -= sign * missing.col(order[k]);
      missing.col(parent) += missing.col(order[k]);
    }
  }
}

/// Some iterations on one level.
void improve(const Problem& problem, Matrix& w, Matrix& u, ThreadTeam& team) {
  Shard shard = Shard::whole(problem);
  set_weight_scales(shard);
  set_state(shard, w, u);
  auto workspaces = make_workspaces(problem, team.size());
  const double matched = PrimalWeight(measure_stiffness(shard)).value();
  Step step{.omega = matched * slowness(4, reach(problem.graph()))};
  const int most = problem.nodes() <= 1000 ? 4 * kIterations : kIterations;
  for (int k = 1; k <= most; ++k) {
    step.measure = k % kMeasureEvery == 0;
    step.relaxation = step.measure ? 1 : kCoarseRelaxation;
    primal_sweep(shard, step, team, workspaces);
    dual_sweep(shard, step, team, workspaces);
    if (!step.measure) continue;
    const SteeringSums sums = inspect(shard, team, workspaces);
    if (sums.gap_estimate() <= kAccuracy * sums.objective(problem.lambda())) break;
  }
  get_state(shard, w, u);
}

}  // namespace

std::optional<CoarseStart> coarse_to_fine_start(const Problem& problem, ThreadTeam& team) {
  constexpr double kFar = 30;  // edges; over less, messages travel fast enough
  if (!same_norm(problem.penalty()) || problem.lambda() == 0 || !is_curved_everywhere(problem)) return std::nullopt;
  const double far = reach(problem.graph());
  if (far < kFar) return std::nullopt;
  std::vector<Level> levels(1);
  std::vector<NodeId> sizes(problem.nodes(), 1);
  const auto problem_of = [&](const Level& level) -> const Problem& {
    return level.problem ? *level.problem : problem;
  };
  while (problem_of(levels.back()).nodes() > kCoarsestNodes) {
    const Problem& fine = problem_of(levels.back());
    Partition pairs = pair_neighbours(fine.graph(), sizes);
    if (pairs.groups > 0.8 * fine.nodes()) break;
    std::vector<NodeId> larger(pairs.groups, 0);
    for (NodeId i = 0; i < fine.nodes(); ++i) larger[pairs.group_of[i]] += sizes[i];
    sizes = std::move(larger);
    auto contraction = std::make_unique<Contraction>(fine, std::move(pairs));
    auto losses = merged_losses(*contraction, team);
    if (losses.empty()) return std::nullopt;
    auto coarse =
        Problem::make(contraction->graph(), std::move(losses), *same_norm(problem.penalty()), problem.lambda());
    levels.back().contraction = std::move(contraction);
    levels.push_back({std::make_unique<Problem>(*std::move(coarse)), nullptr});
  }
  if (levels.size() == 1) return std::nullopt;

  CoarseStart start;
  const Problem& coarsest = problem_of(levels.back());
  start.w = Matrix::Zero(problem.dimension(), coarsest.nodes());
  start.u = Matrix::Zero(problem.dimension(), coarsest.edges());
  for (auto level = levels.rbegin(); level + 1 != levels.rend(); ++level) {
    improve(problem_of(*level), start.w, start.u, team);
    const Contraction& down = *(level + 1)->contraction;
    const Problem& finer = down.problem();
    start.w = down.lift_nodes(start.w);
    Matrix u = Matrix::Zero(problem.dimension(), finer.edges());
    down.add_flow(start.u, u);
    start.u = std::move(u);
    // Flow between groups is handed down by weight. What nodes then miss is sent around inside the groups, and what
    // that leaves to the neighbours.
    route_in_groups(down, start.w, start.u);
    add_flow_for(finer.graph(), -node_residuals(finer, start.w, start.u), kSmoothingSteps, team, start.u);
    project_flow(finer, start.u);
  }
  start.slowness = slowness(1, far);
  return start;
}

}  // namespace gtvmin
