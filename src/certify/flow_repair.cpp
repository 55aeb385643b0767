#include "gtvmin/certify/flow_repair.h"

#include <cassert>
#include <cmath>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "gtvmin/second_order/block_system.h"
#include "gtvmin/second_order/contraction.h"

namespace gtvmin {
namespace {

/// The least flow f (in the norm Σ f_e²/weight_e) with Dᵀf = −excess on a graph whose edge weights are the conductances;
/// one scalar system for all coordinates.
Matrix least_flow(const EmpiricalGraph& graph, const Matrix& excess) {
  BlockSystem system(graph, 1);
  const Partition components = connected_groups(graph);
  Matrix grounding = Matrix::Zero(1, graph.nodes());
  std::vector<char> grounded(components.groups, 0);
  for (NodeId i = 0; i < graph.nodes(); ++i) {
    if (std::exchange(grounded[components.group_of[i]], 1) != 0) continue;
    for (const auto& incidence : graph.incident(i)) grounding(0, i) += graph.weight(incidence.edge);
    if (graph.degree(i) == 0) grounding(0, i) = 1;
  }
  system.set(grounding, [&](EdgeId e, const double* dx, double* out) { *out = graph.weight(e) * *dx; });
  Matrix flow(excess.rows(), graph.edges());
  for (Index j = 0; j < excess.rows(); ++j) {
    const Matrix potential = system.solve(-excess.row(j), 1e-15);
    for (EdgeId e = 0; e < graph.edges(); ++e) {
      flow(j, e) = graph.weight(e) * (potential(0, graph.head(e)) - potential(0, graph.tail(e)));
    }
  }
  return flow;
}

/// Routes rows of the excess that share the room of the edges.
void route_rows(const Problem& problem, const std::vector<double>& room, const Matrix& excess, Eigen::Ref<Matrix> u) {
  const auto& graph = problem.graph();
  constexpr double kRoom = 1e-7;  // relative to κ; less counts as saturated
  std::vector<char> open(graph.edges());
  for (EdgeId e = 0; e < graph.edges(); ++e) open[e] = room[e] > kRoom * problem.kappa(e) ? 1 : 0;

  Matrix change = Matrix::Zero(u.rows(), u.cols());
  const Contraction groups(problem, connected_groups(graph, open));
  if (groups.graph().edges() > 0) {
    Matrix group_excess = Matrix::Zero(u.rows(), groups.graph().nodes());
    for (NodeId i = 0; i < problem.nodes(); ++i) group_excess.col(groups.partition().group_of[i]) += excess.col(i);
    groups.add_flow(least_flow(groups.graph(), group_excess), change);
  }
  const Matrix remaining = excess + apply_incidence_transpose(graph, change);

  std::vector<WeightedEdge> inside;
  std::vector<EdgeId> inside_ids;
  for (EdgeId e = 0; e < graph.edges(); ++e) {
    if (open[e] == 0) continue;
    inside.push_back({graph.head(e), graph.tail(e), room[e]});
    inside_ids.push_back(e);
  }
  if (!inside.empty()) {
    const auto subgraph = EmpiricalGraph::make(graph.nodes(), std::move(inside));
    assert(subgraph.ok());
    const Matrix flow = least_flow(*subgraph, remaining);
    for (std::size_t k = 0; k < inside_ids.size(); ++k) change.col(inside_ids[k]) += flow.col(static_cast<Index>(k));
  }
  u += change;
}

}  // namespace

void route_excess(const Problem& problem, const Matrix& excess, Matrix& u) {
  std::vector<double> room(problem.edges(), 0);
  std::visit(
      [&](const auto& penalty) {
        using PenaltyType = std::decay_t<decltype(penalty)>;
        if constexpr (std::is_same_v<PenaltyType, L1Penalty>) {
          for (Index j = 0; j < u.rows(); ++j) {  // each coordinate has its own capacity
            for (EdgeId e = 0; e < problem.edges(); ++e) room[e] = problem.kappa(e) - std::abs(u(j, e));
            Matrix row = u.row(j);
            route_rows(problem, room, excess.row(j), row);
            u.row(j) = row;
          }
        } else if constexpr (PenaltyType::kIsNorm) {
          for (EdgeId e = 0; e < problem.edges(); ++e) {
            room[e] = problem.kappa(e) - penalty.dual_norm(u.data() + e * u.rows(), u.rows());
          }
          route_rows(problem, room, excess, u);
        }
      },
      problem.penalty());
}

}  // namespace gtvmin
