#include "gtvmin/certify/flow_repair.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "gtvmin/second_order/contraction.h"
#include "gtvmin/second_order/laplacian_system.h"

namespace gtvmin {
namespace {

/// Routes rows that share the room of the edges.
void route_rows(const Problem& problem, const std::vector<double>& room, const Matrix& target, double absolute,
                ThreadTeam& team, Eigen::Ref<Matrix> u) {
  const auto& graph = problem.graph();
  constexpr double kRoom = 1e-7;  // relative to κ; less counts as saturated
  std::vector<char> open(graph.edges());
  for (EdgeId e = 0; e < graph.edges(); ++e) open[e] = room[e] > kRoom * problem.kappa(e) ? 1 : 0;

  const Contraction groups(problem, connected_groups(graph, open));
  if (groups.graph().edges() > 0) {
    const LaplacianSystem system(groups.graph(), weights_of(groups.graph()), team);
    const Matrix excess = target + apply_incidence_transpose(graph, u, team);
    Matrix group_excess = Matrix::Zero(u.rows(), groups.graph().nodes());
    for (NodeId i = 0; i < problem.nodes(); ++i) group_excess.col(groups.partition().group_of[i]) += excess.col(i);
    const Matrix potential = system.solve(-group_excess, absolute);
    Matrix flow = Matrix::Zero(u.rows(), groups.graph().edges());
    system.add_flow(potential, flow);
    groups.add_flow(flow, u);
  }

  if (std::find(open.begin(), open.end(), 1) == open.end()) return;
  std::vector<double> inside = room;
  for (EdgeId e = 0; e < graph.edges(); ++e) {
    if (open[e] == 0) inside[e] = 0;
  }
  const LaplacianSystem system(graph, std::move(inside), team);
  const Matrix excess = target + apply_incidence_transpose(graph, u, team);
  system.add_flow(system.solve(-excess, absolute), u);
}

}  // namespace

void route_to_target(const Problem& problem, const Matrix& target, double absolute, ThreadTeam& team, Matrix& u) {
  std::vector<double> room(problem.edges(), 0);
  std::visit(
      [&](const auto& penalty) {
        using PenaltyType = std::decay_t<decltype(penalty)>;
        if constexpr (PenaltyType::kIsNorm) {
          const auto load = [&](EdgeId e) { return penalty.dual_norm(u.data() + e * u.rows(), u.rows()); };
          for (EdgeId e = 0; e < problem.edges(); ++e) room[e] = problem.kappa(e) - load(e);
          if constexpr (!std::is_same_v<PenaltyType, L1Penalty>) {
            route_rows(problem, room, target, absolute, team, u);
            return;
          }
          // With l1 each coordinate has its own capacity. Where all are content with what the fullest of them leaves,
          // one system serves them all.
          const Matrix before = u;
          route_rows(problem, room, target, absolute, team, u);
          bool inside = true;
          for (EdgeId e = 0; e < problem.edges() && inside; ++e) inside = load(e) <= problem.kappa(e) * (1 + 1e-14);
          if (inside) return;
          u = before;
          for (Index j = 0; j < u.rows(); ++j) {
            for (EdgeId e = 0; e < problem.edges(); ++e) room[e] = problem.kappa(e) - std::abs(u(j, e));
            Matrix row = u.row(j);
            route_rows(problem, room, target.row(j), absolute, team, row);
            u.row(j) = row;
          }
        }
      },
      problem.penalty());
}

}  // namespace gtvmin
