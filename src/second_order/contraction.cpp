#include "gtvmin/second_order/contraction.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include "gtvmin/loss/quadratic_loss.h"

namespace gtvmin {
namespace {

/// The edges between groups, one per pair of groups, sorted as EmpiricalGraph sorts them.
std::vector<WeightedEdge> group_edges(const EmpiricalGraph& graph, const Partition& partition) {
  std::vector<WeightedEdge> edges;
  for (EdgeId e = 0; e < graph.edges(); ++e) {
    const auto [a, b] = std::minmax(partition.group_of[graph.head(e)], partition.group_of[graph.tail(e)]);
    if (a != b) edges.push_back({a, b, graph.weight(e)});
  }
  const auto ends = [](const WeightedEdge& edge) { return std::pair(edge.a, edge.b); };
  std::stable_sort(edges.begin(), edges.end(), [&](const auto& x, const auto& y) { return ends(x) < ends(y); });
  std::vector<WeightedEdge> merged;
  for (const auto& edge : edges) {
    if (!merged.empty() && ends(merged.back()) == ends(edge)) {
      merged.back().weight += edge.weight;
    } else {
      merged.push_back(edge);
    }
  }
  return merged;
}

EmpiricalGraph group_graph(const EmpiricalGraph& graph, const Partition& partition) {
  auto result = EmpiricalGraph::make(partition.groups, group_edges(graph, partition));
  assert(result.ok());
  return *std::move(result);
}

}  // namespace

Contraction::Contraction(const Problem& problem, Partition partition)
    : problem_(problem), partition_(std::move(partition)), graph_(group_graph(problem.graph(), partition_)) {
  const auto& group_of = partition_.group_of;
  first_member_.assign(static_cast<std::size_t>(partition_.groups) + 1, 0);
  for (const NodeId group : group_of) ++first_member_[group + 1];
  std::partial_sum(first_member_.begin(), first_member_.end(), first_member_.begin());
  members_.resize(group_of.size());
  std::vector<Index> next(first_member_.begin(), first_member_.end() - 1);
  for (NodeId i = 0; i < problem.nodes(); ++i) members_[next[group_of[i]]++] = i;

  edge_of_.assign(problem.edges(), -1);
  for (EdgeId e = 0; e < problem.edges(); ++e) {
    const auto [a, b] = std::minmax(group_of[problem.graph().head(e)], group_of[problem.graph().tail(e)]);
    if (a == b) continue;
    const auto at_a = graph_.incident(a);
    const auto found = std::lower_bound(at_a.begin(), at_a.end(), b,
                                        [](const Incidence& in, NodeId end) { return in.neighbour < end; });
    edge_of_[e] = found->edge;
  }
}

double Contraction::sign(EdgeId e) const {
  const auto& graph = problem_.graph();
  return partition_.group_of[graph.head(e)] < partition_.group_of[graph.tail(e)] ? 1 : -1;
}

Matrix Contraction::contract_nodes(ConstMatrixRef w) const {
  Matrix groups = Matrix::Zero(w.rows(), partition_.groups);
  for (NodeId group = 0; group < partition_.groups; ++group) {
    for (const NodeId i : members(group)) groups.col(group) += w.col(i);
    groups.col(group) /= static_cast<double>(members(group).size());
  }
  return groups;
}

Matrix Contraction::contract_flow(ConstMatrixRef u) const {
  Matrix flow = Matrix::Zero(u.rows(), graph_.edges());
  for (EdgeId e = 0; e < problem_.edges(); ++e) {
    if (edge_of_[e] >= 0) flow.col(edge_of_[e]) += sign(e) * u.col(e);
  }
  return flow;
}

Matrix Contraction::lift_nodes(ConstMatrixRef groups) const {
  Matrix w(groups.rows(), problem_.nodes());
  for (NodeId i = 0; i < problem_.nodes(); ++i) w.col(i) = groups.col(partition_.group_of[i]);
  return w;
}

void Contraction::add_flow(ConstMatrixRef contracted_change, MatrixRef u) const {
  for (EdgeId e = 0; e < problem_.edges(); ++e) {
    if (edge_of_[e] < 0) continue;
    const double share = problem_.graph().weight(e) / graph_.weight(edge_of_[e]);
    u.col(e) += sign(e) * share * contracted_change.col(edge_of_[e]);
  }
}

std::vector<LossPtr> merged_losses(const Contraction& contraction, ThreadTeam& team) {
  constexpr Index kGroupsOfChunk = 64;
  const Problem& problem = contraction.problem();
  for (NodeId i = 0; i < problem.nodes(); ++i) {
    if (problem.loss(i).quadratic_form() == nullptr) return {};
  }
  std::vector<LossPtr> merged(contraction.graph().nodes());
  team.run(contraction.graph().nodes(), kGroupsOfChunk, [&](int /*worker*/, Index begin, Index end) {
    std::vector<const LocalLoss*> losses;
    for (auto group = static_cast<NodeId>(begin); group < end; ++group) {
      losses.clear();
      for (const NodeId i : contraction.members(group)) losses.push_back(&problem.loss(i));
      merged[group] = QuadraticLoss::sum(losses);
    }
  });
  return merged;
}

}  // namespace gtvmin
