#include "gtvmin/solver/sweeps.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>
#include <variant>

namespace gtvmin {
namespace {

// A chunk is some ten microseconds of work: long enough to hide the taking of it, short enough to share evenly.
Index chunk_of(Index items, Index numbers_per_item) {
  return std::clamp<Index>(16384 / std::max<Index>(1, numbers_per_item), 1, std::max<Index>(1, items));
}

/// Calls f with the dimension as a compile-time constant where it is small and common, so that loops unroll.
template <class F>
void with_dimension(Index d, F&& f) {
  switch (d) {
    case 1:
      return f(std::integral_constant<Index, 1>());
    case 2:
      return f(std::integral_constant<Index, 2>());
    case 3:
      return f(std::integral_constant<Index, 3>());
    case 4:
      return f(std::integral_constant<Index, 4>());
    case 8:
      return f(std::integral_constant<Index, 8>());
    case 10:
      return f(std::integral_constant<Index, 10>());
    default:
      return f(d);
  }
}

/// Calls f(penalty, d) with both chosen once per sweep.
template <class F>
void with_penalty(const Problem& problem, F&& f) {
  std::visit([&](const auto& penalty) { with_dimension(problem.dimension(), [&](auto d) { f(penalty, d); }); },
             problem.penalty());
}

/// sum = (Dᵀu)_i in the order of edge ids.
void gather_flow(const Shard& shard, Index i, Vector& sum) {
  sum.setZero();
  for (Index k = shard.first_incidence[i]; k < shard.first_incidence[i + 1]; ++k) {
    const auto& [edge, sign] = shard.incidences[k];
    if (sign > 0) {
      sum += shard.u.col(edge);
    } else {
      sum -= shard.u.col(edge);
    }
  }
}

}  // namespace

std::vector<Workspace> make_workspaces(const Problem& problem, int workers) {
  Index scratch = problem.dimension();
  for (NodeId i = 0; i < problem.nodes(); ++i) scratch = std::max(scratch, problem.loss(i).scratch_size());
  const Index d = problem.dimension();
  std::vector<Workspace> workspaces(workers);
  for (auto& space : workspaces) {
    space.flow.resize(d);
    space.point.resize(d);
    space.update.resize(d);
    space.scratch.resize(scratch);
  }
  return workspaces;
}

void primal_sweep(Shard& shard, double omega, double inner_tolerance, bool measure, ThreadTeam& team,
                  std::vector<Workspace>& workspaces) {
  const auto& problem = *shard.problem;
  const auto job = [&](int worker, Index begin, Index end) {
    auto& [flow, point, update, scratch, sums] = workspaces[worker];
    for (Index i = begin; i < end; ++i) {
      if (shard.scale_sum[i] == 0) {  // isolated: stays at its own minimiser
        shard.w_next.col(i) = shard.w.col(i);
        continue;
      }
      const double tau = omega / shard.scale_sum[i];
      gather_flow(shard, i, flow);
      point = shard.w.col(i) - tau * flow;
      update = shard.w.col(i);
      problem.loss(shard.nodes[i]).prox(point, 1 / tau, inner_tolerance / tau, update, scratch);
      shard.w_next.col(i) = update;
      if (!measure) continue;
      shard.gradient.col(i) = (point - update) / tau;
      update -= shard.w.col(i);
      sums.sums[SteeringSums::kPrimalMove2].add(shard.scale_sum[i] * update.squaredNorm());
    }
  };
  const Index numbers = problem.dimension() * (4 + 2 * shard.local_edges() / std::max<Index>(1, shard.owned()));
  team.run(shard.owned(), chunk_of(shard.owned(), numbers), job);
}

void advance_nodes(Shard& shard, double relaxation, ThreadTeam& team) {
  const auto job = [&](int /*worker*/, Index begin, Index end) {
    const Index d = shard.w.rows();
    double* w = shard.w.data();
    double* next = shard.w_next.data();
    for (Index k = begin * d; k < end * d; ++k) {
      const double step = next[k] - w[k];
      next[k] += step;
      w[k] = relaxation == 1 ? w[k] + step : w[k] + relaxation * step;
    }
  };
  team.run(shard.local_nodes(), chunk_of(shard.local_nodes(), 2 * shard.w.rows()), job);
}

void dual_sweep(Shard& shard, double omega, double relaxation, bool measure, ThreadTeam& team,
                std::vector<Workspace>& workspaces) {
  with_penalty(*shard.problem, [&](const auto& penalty, auto d) {
    const auto job = [&](int worker, Index begin, Index end) {
      double* x = workspaces[worker].point.data();
      double* scratch = workspaces[worker].scratch.data();
      const double* extrapolated = shard.w_next.data();
      for (Index e = begin; e < end; ++e) {
        const auto& edge = shard.edges[e];
        const double sigma = edge.scale / (2 * omega);
        const double* head = extrapolated + edge.head * d;
        const double* tail = extrapolated + edge.tail * d;
        double* u = shard.u.data() + e * d;
        for (Index j = 0; j < d; ++j) x[j] = u[j] + sigma * (head[j] - tail[j]);
        penalty.dual_update(x, d, edge.kappa, sigma, scratch);
        if (measure && edge.counts) {
          double move2 = 0;
          for (Index j = 0; j < d; ++j) move2 += (x[j] - u[j]) * (x[j] - u[j]);
          workspaces[worker].sums.sums[SteeringSums::kDualMove2].add(2 / edge.scale * move2);
        }
        if (relaxation == 1) {
          for (Index j = 0; j < d; ++j) u[j] = x[j];
        } else {
          for (Index j = 0; j < d; ++j) u[j] += relaxation * (x[j] - u[j]);
        }
      }
    };
    team.run(shard.local_edges(), chunk_of(shard.local_edges(), 4 * d), job);
  });
}

SteeringSums inspect(const Shard& shard, ThreadTeam& team, std::vector<Workspace>& workspaces) {
  const auto& problem = *shard.problem;
  const auto nodes = [&](int worker, Index begin, Index end) {
    auto& [flow, point, update, scratch, totals] = workspaces[worker];
    auto& sums = totals.sums;
    for (Index i = begin; i < end; ++i) {
      point = shard.w.col(i);
      sums[SteeringSums::kLoss].add(problem.loss(shard.nodes[i]).value(point));
      if (shard.scale_sum[i] == 0) continue;
      gather_flow(shard, i, flow);
      flow += shard.gradient.col(i);
      const double residual2 = flow.squaredNorm();
      sums[SteeringSums::kResidual2].add(residual2);
      sums[SteeringSums::kNodeGap].add(std::sqrt(residual2) * point.norm());
    }
  };
  team.run(shard.owned(), chunk_of(shard.owned(), 8 * problem.dimension()), nodes);

  with_penalty(problem, [&](const auto& penalty, auto d) {
    const auto edges = [&](int worker, Index begin, Index end) {
      auto& space = workspaces[worker];
      auto& sums = space.sums.sums;
      double* v = space.point.data();
      for (Index e = begin; e < end; ++e) {
        const auto& edge = shard.edges[e];
        if (!edge.counts) continue;
        const double* head = shard.w.data() + edge.head * d;
        const double* tail = shard.w.data() + edge.tail * d;
        const double* u = shard.u.data() + e * d;
        for (Index j = 0; j < d; ++j) v[j] = head[j] - tail[j];
        sums[SteeringSums::kVariation].add(problem.graph().weight(shard.edge_ids[e]) * penalty.value(v, d));
        sums[SteeringSums::kEdgeGap].add(penalty.fenchel_young(v, u, d, edge.kappa, space.scratch.data()));
      }
    };
    team.run(shard.local_edges(), chunk_of(shard.local_edges(), 8 * d), edges);
  });
  SteeringSums total;
  for (auto& space : workspaces) total.add(std::exchange(space.sums, {}));
  return total;
}

}  // namespace gtvmin
