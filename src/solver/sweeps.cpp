#include "gtvmin/solver/sweeps.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>
#include <variant>

#include "gtvmin/loss/quadratic_loss.h"

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
    case 5:
      return f(std::integral_constant<Index, 5>());
    case 6:
      return f(std::integral_constant<Index, 6>());
    case 8:
      return f(std::integral_constant<Index, 8>());
    case 10:
      return f(std::integral_constant<Index, 10>());
    default:
      return f(d);
  }
}

/// d numbers that the compiler may keep in registers where d is a constant, else the memory it is given.
template <class Dim>
struct Numbers {
  explicit Numbers(double* /*memory*/) {}
  double* data() { return values; }
  double values[(Dim::value + 3) / 4 * 4];  // whole lanes
};
template <>
struct Numbers<Index> {
  explicit Numbers(double* memory) : values(memory) {}
  [[nodiscard]] double* data() const { return values; }
  double* values;
};

/// Calls f(penalty, d) with both chosen once per sweep.
template <class F>
void with_penalty(const Problem& problem, F&& f) {
  std::visit([&](const auto& penalty) { with_dimension(problem.dimension(), [&](auto d) { f(penalty, d); }); },
             problem.penalty());
}

/// sum = (Dᵀu)_i, which the last dual sweep has left in the node's slots.
template <class Dim>
[[gnu::always_inline]] inline void add_up_slots(const Shard& shard, Index i, Dim d, double* sum) {
  const double* const slots = shard.flow.data() + shard.first_slot[i] * d;
  const NodeId count = shard.first_slot[i + 1] - shard.first_slot[i];
  for_lanes(d, [&](Index j, auto lanes) {
    lanes = load<decltype(lanes)>(slots + j);
    for (NodeId k = 1; k < count; ++k) lanes += load<decltype(lanes)>(slots + k * d + j);
    store(sum + j, lanes);
  });
}

/// next ← 2 next − w, w ← w + relaxation (next − w).
template <class Dim>
[[gnu::always_inline]] inline void advance(double* w, double* next, Dim numbers, double relaxation) {
  for_lanes(numbers, [&](Index j, auto lanes) {
    using Lanes = decltype(lanes);
    const Lanes step = load<Lanes>(next + j) - load<Lanes>(w + j);
    store(next + j, load<Lanes>(next + j) + step);
    store(w + j, relaxation == 1 ? load<Lanes>(w + j) + step : load<Lanes>(w + j) + relaxation * step);
  });
}

/// update = prox(L_i, point, 1/τ_i), from w.
template <class Dim>
[[gnu::always_inline]] inline void node_prox(const Shard& shard, Index i, Dim d, const Step& step, const double* w,
                                             const double* point, double* update, Workspace& space) {
  const Shard::NodeProx& prox = shard.proxes[i];
  const double* const minimiser = prox.form.minimiser;
  Numbers<Dim> q(space.scratch.data());
  if (prox.step != nullptr) {
    Numbers<Dim> mirrored(space.scratch.data() + d);
    step_matrix_prox(minimiser, prox.step, point, d, update, q.data(), mirrored.data());
  } else if (minimiser == nullptr) {
    for (Index j = 0; j < d; ++j) {
      space.point[j] = point[j];
      space.update[j] = w[j];
    }
    shard.problem->loss(shard.nodes[i])
        .prox(space.point, 1 / prox.tau, step.inner_tolerance / prox.tau, space.update, space.scratch);
    for (Index j = 0; j < d; ++j) update[j] = space.update[j];
  } else if (prox.form.rank > 0) {
    quadratic_prox(prox.form, point, d, 1 / prox.tau, update, q.data());
  } else {
    for_lanes(d, [&](Index j, auto lanes) {
      using Lanes = decltype(lanes);
      store(update + j, load<Lanes>(point + j) + prox.pull * (load<Lanes>(minimiser + j) - load<Lanes>(point + j)));
    });
  }
}

/// The primal update of nodes begin … end − 1.
template <class Dim>
[[gnu::always_inline]] inline void sweep_nodes(Shard& shard, Dim d, const Step& step, Index begin, Index end,
                                               Workspace& space) {
  const bool advance_here = !shard.has_ghosts();
  Numbers<Dim> at_point(space.point.data());
  Numbers<Dim> at_update(space.update.data());
  double* const point = at_point.data();
  double* const update = at_update.data();
  for (Index i = begin; i < end; ++i) {
    double* const w = shard.w.data() + i * d;
    double* const next = shard.w_next.data() + i * d;
    if (shard.scale_sum[i] == 0) {  // isolated: stays at its own minimiser
      for_lanes(d, [&](Index j, auto lanes) { store(next + j, load<decltype(lanes)>(w + j)); });
      continue;
    }
    const double tau = shard.proxes[i].tau;
    add_up_slots(shard, i, d, point);
    for (NodeId slot = shard.first_slot[i]; slot < shard.first_slot[i + 1]; ++slot) {
      for_lanes(d, [&](Index j, auto lanes) { store(shard.flow.data() + slot * d + j, decltype(lanes){}); });
    }
    for_lanes(d, [&](Index j, auto lanes) {
      using Lanes = decltype(lanes);
      store(point + j, load<Lanes>(w + j) - tau * load<Lanes>(point + j));
    });
    node_prox(shard, i, d, step, w, point, update, space);
    if (step.measure) {
      double move2 = 0;
      for (Index j = 0; j < d; ++j) {
        shard.gradient(j, i) = (point[j] - update[j]) / tau;
        move2 += (update[j] - w[j]) * (update[j] - w[j]);
      }
      space.sums.sums[SteeringSums::kPrimalMove2].add(shard.scale_sum[i] * move2);
    }
    for_lanes(d, [&](Index j, auto lanes) { store(next + j, load<decltype(lanes)>(update + j)); });
    if (advance_here) advance(w, next, d, step.relaxation);
  }
}

struct NodeGap {
  double absorbed = 0;
  double uncertain = 0;
};

/// What a node with residual r = ∇L(w) + (Dᵀu)_i adds to the gap: ½rᵀH⁺r where its loss is known to be curved, and as
/// much as a residual may hide within ‖w‖ where it is flat or not quadratic. Uses up r.
template <class Dim>
[[gnu::always_inline]] inline NodeGap node_gap(const QuadraticForm& form, Dim d, const double* w, double* r) {
  NodeGap gap;
  const double* column = form.basis;
  for (Index k = 0; k < form.rank; ++k, column += d) {
    const double along = inner_product(column, r, d);
    gap.absorbed += along * along / form.eigenvalues[k] / 2;
    for_lanes(d, [&](Index j, auto lanes) {
      using Lanes = decltype(lanes);
      store(r + j, load<Lanes>(r + j) - along * load<Lanes>(column + j));
    });
  }
  if (form.floor > 0) {
    gap.absorbed += inner_product(r, r, d) / form.floor / 2;
  } else if (form.rank < d) {
    gap.uncertain = std::sqrt(inner_product(r, r, d)) * std::sqrt(inner_product(w, w, d));
  }
  return gap;
}

/// L_i(w_i) of nodes begin … end − 1, of quadratic losses how far it is above their minimum, and what they add to the
/// gap.
template <class Dim>
void inspect_nodes(const Shard& shard, Dim d, Index begin, Index end, Workspace& space) {
  Numbers<Dim> at_q(space.point.data());
  double* const q = at_q.data();
  auto& sums = space.sums.sums;
  for (Index i = begin; i < end; ++i) {
    const QuadraticForm& form = shard.proxes[i].form;
    const double* const w = shard.w.data() + i * d;
    if (form.minimiser == nullptr) {
      space.point = shard.w.col(i);
      sums[SteeringSums::kLoss].add(shard.problem->loss(shard.nodes[i]).value(space.point));
    } else {
      for_lanes(d, [&](Index j, auto lanes) {
        using Lanes = decltype(lanes);
        store(q + j, load<Lanes>(w + j) - load<Lanes>(form.minimiser + j));
      });
      sums[SteeringSums::kLoss].add(half_form(form, q, d));
    }
    if (shard.scale_sum[i] == 0) continue;
    add_up_slots(shard, i, d, q);
    for_lanes(d, [&](Index j, auto lanes) {
      using Lanes = decltype(lanes);
      store(q + j, load<Lanes>(q + j) + load<Lanes>(shard.gradient.data() + i * d + j));
    });
    const auto [absorbed, uncertain] = node_gap(form, d, w, q);
    sums[SteeringSums::kNodeGap].add(absorbed);
    sums[SteeringSums::kUncertainGap].add(uncertain);
  }
}

/// Has the memory bring d numbers, whose first cache lines hold all that matters.
template <class Dim>
[[gnu::always_inline]] inline void ask_for(const double* numbers, Dim d) {
  __builtin_prefetch(numbers);
  if (d > 8) __builtin_prefetch(numbers + 8);
}

/// The dual update of the edges of blocks begin … end − 1, and the sums of the new flows at their nodes.
template <class PenaltyType, class Dim>
[[gnu::always_inline]] inline void sweep_edges(Shard& shard, const PenaltyType& penalty, Dim d, const Step& step,
                                               Index begin, Index end, Workspace& space) {
  // Tails lie anywhere, and flows are written as well as read: ask for them some edges before they are needed.
  constexpr EdgeId kAhead = 16;
  constexpr EdgeId kAheadOfFlow = 24;
  Numbers<Dim> edge_flow(space.point.data());
  Numbers<Dim> head_flow(space.flow.data());
  double* const x = edge_flow.data();
  double* const at_head = head_flow.data();
  const double* const extrapolated = shard.w_next.data();
  double* const flow = shard.flow.data();
  double* const edge_flows = shard.u.data();
  const Shard::EdgeEnd* const ends = shard.ends.data();
  const double* const scales = shard.scales.data();
  const double* const kappas = shard.kappas.data();
  const EdgeId stride = shard.uniform_edges ? 0 : 1;
  const auto last = static_cast<EdgeId>(shard.ends.size()) - 1;
  const double unscaled_sigma = step.sigma();
  const double relaxation = step.relaxation;
  for (Index k = shard.first_run[begin]; k < shard.first_run[end]; ++k) {
    const auto& run = shard.runs[k];
    const double* const head = extrapolated + run.head * d;
    for_lanes(d, [&](Index j, auto lanes) {
      store(at_head + j, run.slot < 0 ? decltype(lanes){} : load<decltype(lanes)>(flow + run.slot * d + j));
    });
    const EdgeId next_run = shard.runs[k + 1].first;
    for (EdgeId e = run.first; e < next_run; ++e) {
      const auto soon = ends[std::min(e + kAhead, last)];
      ask_for(extrapolated + soon.tail * d, d);
      ask_for(flow + std::max(0, soon.slot) * d, d);
      ask_for(edge_flows + std::min(e + kAheadOfFlow, last) * d, d);
      const auto [tail_node, tail_slot] = ends[e];
      const double* const tail = extrapolated + tail_node * d;
      double* const u = edge_flows + e * d;
      const double scale = scales[stride * e];
      const double sigma = scale * unscaled_sigma;
      for_lanes(d, [&](Index j, auto lanes) {
        using Lanes = decltype(lanes);
        store(x + j, load<Lanes>(u + j) + sigma * (load<Lanes>(head + j) - load<Lanes>(tail + j)));
      });
      penalty.dual_update(x, d, kappas[stride * e], sigma, space.scratch.data());
      for_lanes(d, [&](Index j, auto lanes) {
        using Lanes = decltype(lanes);
        Lanes moved = load<Lanes>(x + j);
        if (relaxation != 1) moved = load<Lanes>(u + j) + relaxation * (moved - load<Lanes>(u + j));
        store(u + j, moved);
        store(x + j, moved);
        store(at_head + j, load<Lanes>(at_head + j) + moved);
      });
      if (tail_slot < 0) continue;
      double* const at_tail = flow + tail_slot * d;
      for_lanes(d, [&](Index j, auto lanes) {
        using Lanes = decltype(lanes);
        store(at_tail + j, load<Lanes>(at_tail + j) - load<Lanes>(x + j));
      });
    }
    if (run.slot < 0) continue;
    for_lanes(d, [&](Index j, auto lanes) { store(flow + run.slot * d + j, load<decltype(lanes)>(at_head + j)); });
  }
}

// The same code, compiled for processors with wider registers.
#if defined(__x86_64__)
bool has_wide_registers() { return __builtin_cpu_supports("avx2") != 0; }

template <class Dim>
[[gnu::target("avx2")]] void sweep_nodes_wide(Shard& shard, Dim d, const Step& step, Index begin, Index end,
                                              Workspace& space) {
  sweep_nodes(shard, d, step, begin, end, space);
}

template <class PenaltyType, class Dim>
[[gnu::target("avx2")]] void sweep_edges_wide(Shard& shard, const PenaltyType& penalty, Dim d, const Step& step,
                                              Index begin, Index end, Workspace& space) {
  sweep_edges(shard, penalty, d, step, begin, end, space);
}
#else
bool has_wide_registers() { return false; }

template <class... Arguments>
void sweep_nodes_wide(Arguments&&... /*arguments*/) {}

template <class... Arguments>
void sweep_edges_wide(Arguments&&... /*arguments*/) {}
#endif

template <class PenaltyType, class Dim>
void sweep_edges_here(Shard& shard, const PenaltyType& penalty, Dim d, const Step& step, Index begin, Index end,
                      Workspace& space) {
  static const bool wide = has_wide_registers();
  if (wide) {
    sweep_edges_wide(shard, penalty, d, step, begin, end, space);
  } else {
    sweep_edges(shard, penalty, d, step, begin, end, space);
  }
}

void refresh_proxes(Shard& shard, double omega, ThreadTeam& team) {
  with_dimension(shard.problem->dimension(), [&](auto d) {
    const auto job = [&](int /*worker*/, Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        auto& [form, matrix, tau, pull] = shard.proxes[i];
        tau = omega / shard.scale_sum[i];
        const double rho = 1 / tau;
        pull = form.floor == 0 ? 0 : form.floor / (form.floor + rho);
        if (matrix != nullptr) fill_step_matrix(form, d, rho, matrix);
      }
    };
    team.run(shard.owned(), chunk_of(shard.owned(), d * d * d), job);
  });
  shard.prox_omega = omega;
}

/// The primal update of owned nodes first … last − 1.
void sweep_range(Shard& shard, Index first, Index last, const Step& step, ThreadTeam& team,
                 std::vector<Workspace>& workspaces) {
  static const bool wide = has_wide_registers();
  with_dimension(shard.problem->dimension(), [&](auto d) {
    const auto job = [&](int worker, Index begin, Index end) {
      if (wide) {
        sweep_nodes_wide(shard, d, step, first + begin, first + end, workspaces[worker]);
      } else {
        sweep_nodes(shard, d, step, first + begin, first + end, workspaces[worker]);
      }
    };
    const Index numbers = d * (4 + 2 * shard.local_edges() / std::max<Index>(1, shard.owned()));
    team.run(last - first, shard.trains_nets ? 1 : chunk_of(last - first, numbers), job);
  });
}

}  // namespace

std::vector<Workspace> make_workspaces(const Problem& problem, int workers) {
  Index scratch = 2 * problem.dimension();
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

void primal_sweep(Shard& shard, const Step& step, ThreadTeam& team, std::vector<Workspace>& workspaces) {
  primal_sweep_boundary(shard, step, team, workspaces);
  primal_sweep_interior(shard, step, team, workspaces);
}

void primal_sweep_boundary(Shard& shard, const Step& step, ThreadTeam& team, std::vector<Workspace>& workspaces) {
  if (shard.prox_omega != step.omega) refresh_proxes(shard, step.omega, team);
  if (shard.boundary > 0) sweep_range(shard, 0, shard.boundary, step, team, workspaces);
}

void primal_sweep_interior(Shard& shard, const Step& step, ThreadTeam& team, std::vector<Workspace>& workspaces) {
  if (shard.boundary < shard.owned()) sweep_range(shard, shard.boundary, shard.owned(), step, team, workspaces);
}

void advance_nodes(Shard& shard, const Step& step, ThreadTeam& team) {
  if (!shard.has_ghosts()) return;
  const Index d = shard.w.rows();
  const auto job = [&](int /*worker*/, Index begin, Index end) {
    advance(shard.w.data() + begin * d, shard.w_next.data() + begin * d, (end - begin) * d, step.relaxation);
  };
  team.run(shard.local_nodes(), chunk_of(shard.local_nodes(), 2 * d), job);
}

void dual_sweep(Shard& shard, const Step& step, ThreadTeam& team, std::vector<Workspace>& workspaces) {
  with_penalty(*shard.problem, [&](const auto& penalty, auto d) {
    const auto blocks = [&](int worker, Index begin, Index end) {
      sweep_edges_here(shard, penalty, d, step, begin, end, workspaces[worker]);
    };
    team.run(static_cast<Index>(shard.first_run.size()) - 1, 1, blocks);
  });
}

SteeringSums inspect(const Shard& shard, ThreadTeam& team, std::vector<Workspace>& workspaces) {
  const auto& problem = *shard.problem;
  with_dimension(problem.dimension(), [&](auto d) {
    const auto nodes = [&](int worker, Index begin, Index end) {
      inspect_nodes(shard, d, begin, end, workspaces[worker]);
    };
    team.run(shard.owned(), chunk_of(shard.owned(), 8 * problem.dimension()), nodes);
  });

  with_penalty(problem, [&](const auto& penalty, auto d) {
    const auto blocks = [&](int worker, Index begin, Index end) {
      auto& space = workspaces[worker];
      auto& sums = space.sums.sums;
      double* v = space.point.data();
      for (Index k = shard.first_run[begin]; k < shard.first_run[end]; ++k) {
        if (shard.runs[k].slot < 0) continue;
        const double* head = shard.w.data() + shard.runs[k].head * d;
        double variation = 0;  // of this head: whichever shard owns it has the same edges in the same order
        double gap = 0;
        for (EdgeId e = shard.runs[k].first; e < shard.runs[k + 1].first; ++e) {
          const double* tail = shard.w.data() + shard.ends[e].tail * d;
          const double* u = shard.u.data() + e * d;
          for_lanes(d, [&](Index j, auto lanes) {
            using Lanes = decltype(lanes);
            store(v + j, load<Lanes>(head + j) - load<Lanes>(tail + j));
          });
          variation += problem.graph().weight(shard.edge_ids[e]) * penalty.value(v, d);
          gap += penalty.fenchel_young(v, u, d, shard.kappa(e), space.scratch.data());
        }
        sums[SteeringSums::kVariation].add(variation);
        sums[SteeringSums::kEdgeGap].add(gap);
      }
    };
    team.run(static_cast<Index>(shard.first_run.size()) - 1, 1, blocks);
  });
  SteeringSums total;
  total.sums[SteeringSums::kLoss].add(shard.quadratic_minima);
  for (auto& space : workspaces) total.add(std::exchange(space.sums, {}));
  return total;
}

}  // namespace gtvmin
