#include "gtvmin/solver/cluster_start.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "gtvmin/second_order/contraction.h"
#include "gtvmin/second_order/laplacian_system.h"
#include "gtvmin/second_order/newton.h"

namespace gtvmin {
namespace {

constexpr std::int64_t kMostStepsOfRound = 30;  // of Newton's method, in a round
constexpr Index kNodesOfChunk = 64;
constexpr NodeId kSmall = 2000;  // nodes; then a factorisation costs next to nothing

/// How well a current is known, as a fraction of what it should bring; and how many steps are worth it where only steps
/// lead there.
struct Care {
  double accuracy;
  int most_steps;
};
constexpr Care kRough{1e-2, 20};
constexpr Care kExact{1e-13, 200};
constexpr double kUnsettled = 0.1;
constexpr double kFull = 1 + 1e-11;  // load up to which an edge holds, with room for rounding

/// Currents settle fast in a graph in which everybody is near everybody. In a forest there is only one, a sum along the
/// branches.
bool is_worth_currents(const Problem& problem) {
  constexpr NodeId kNear = 20;  // edges
  if (!is_norm(problem.penalty()) || problem.lambda() == 0) return false;
  if (problem.nodes() <= kSmall || is_forest(problem.graph())) return true;
  const auto distance = breadth_first(problem.graph()).distance;
  return *std::max_element(distance.begin(), distance.end()) <= kNear;
}

/// ‖u_e‖_*/κ_e of every edge.
std::vector<double> loads(const Problem& problem, const Matrix& u, ThreadTeam& team) {
  constexpr Index kEdgesOfChunk = 512;
  std::vector<double> load(problem.edges(), 0);
  std::visit(
      [&](const auto& penalty) {
        if constexpr (std::decay_t<decltype(penalty)>::kIsNorm) {
          team.run(problem.edges(), kEdgesOfChunk, [&](int /*worker*/, Index begin, Index end) {
            for (auto e = static_cast<EdgeId>(begin); e < end; ++e) {
              load[e] = penalty.dual_norm(u.data() + e * u.rows(), u.rows()) / problem.kappa(e);
            }
          });
        }
      },
      problem.penalty());
  return load;
}

/// Adds the current inside the clusters that brings every node what it misses. Returns the fraction it does not bring.
double add_current(const Problem& problem, const Partition& clusters, const Matrix& w, bool forest, Care care,
                   ThreadTeam& team, Matrix& u) {
  const auto& graph = problem.graph();
  std::vector<double> inside = weights_of(graph);
  for (EdgeId e = 0; e < graph.edges(); ++e) {
    if (clusters.group_of[graph.head(e)] != clusters.group_of[graph.tail(e)]) inside[e] = 0;
  }
  Matrix gradients(w.rows(), w.cols());
  team.run(graph.nodes(), kNodesOfChunk, [&](int /*worker*/, Index begin, Index end) {
    for (auto i = static_cast<NodeId>(begin); i < end; ++i) problem.loss(i).gradient(w.col(i), gradients.col(i));
  });
  const auto missing = [&] { return without_means(clusters, gradients + apply_incidence_transpose(graph, u, team)); };
  const bool direct = graph.nodes() <= kSmall || forest;
  const auto way = direct ? LaplacianSystem::Way::kAny : LaplacianSystem::Way::kIterative;
  const LaplacianSystem system(graph, std::move(inside), team, way);
  if (system.is_direct()) care = kExact;
  const Matrix before = missing();
  const double size = std::max(before.norm(), std::numeric_limits<double>::min());
  system.add_flow(system.solve(-before, care.accuracy * size, care.most_steps), u);
  return missing().norm() / size;
}

/// Breaks every cluster that has overloaded edges, at those with at least half of its largest load or, if it still
/// holds together then, at as many more as it takes: the limit is lowered while it is above `least`. In a forest, in
/// which load builds up along a branch, at the worst of them. The same clusters if none breaks.
Partition break_overloaded(const Problem& problem, const Partition& clusters, bool forest, double least,
                           const std::vector<double>& load) {
  const auto& graph = problem.graph();
  const double bearable_share = forest ? 1 - 1e-9 : 0.5;
  const auto cluster_of = [&](EdgeId e) {
    const NodeId cluster = clusters.group_of[graph.head(e)];
    return cluster == clusters.group_of[graph.tail(e)] ? cluster : -1;
  };
  std::vector<double> bearable(clusters.groups, kFull);
  for (EdgeId e = 0; e < graph.edges(); ++e) {
    if (const NodeId cluster = cluster_of(e); cluster >= 0) {
      bearable[cluster] = std::max(bearable[cluster], bearable_share * load[e]);
    }
  }
  std::vector<char> keep(graph.edges());
  for (;;) {
    std::vector<char> overloaded(clusters.groups, 0);
    for (EdgeId e = 0; e < graph.edges(); ++e) {
      const NodeId cluster = cluster_of(e);
      keep[e] = cluster >= 0 && load[e] <= bearable[cluster] ? 1 : 0;
      if (cluster >= 0 && load[e] > kFull) overloaded[cluster] = 1;
    }
    Partition parts = connected_groups(graph, keep);
    std::vector<NodeId> first_part(clusters.groups, -1);
    std::vector<char> broken(clusters.groups, 0);
    for (NodeId i = 0; i < graph.nodes(); ++i) {
      NodeId& first = first_part[clusters.group_of[i]];
      if (first < 0) first = parts.group_of[i];
      if (first != parts.group_of[i]) broken[clusters.group_of[i]] = 1;
    }
    bool again = false;
    for (NodeId cluster = 0; cluster < clusters.groups; ++cluster) {
      if (overloaded[cluster] == 0 || broken[cluster] != 0 || bearable[cluster] <= least) continue;
      bearable[cluster] =
          bearable[cluster] > kFull ? std::max(kFull, bearable[cluster] / 1.5) : bearable[cluster] - 0.1;
      again = true;
    }
    if (!again) return parts;
  }
}

/// Not if there are many, nor if most are single nodes that fall off one after the other.
bool are_clusters(const Partition& parts) {
  constexpr NodeId kFew = 8;
  constexpr NodeId kMany = 2000;
  std::vector<NodeId> sizes(parts.groups, 0);
  for (const NodeId part : parts.group_of) ++sizes[part];
  const auto alone = static_cast<NodeId>(std::count(sizes.begin(), sizes.end(), 1));
  const auto nodes = static_cast<NodeId>(parts.group_of.size());
  return parts.groups <= std::clamp(nodes / 20, kFew, kMany) && alone <= std::max(kFew, parts.groups / 2);
}

/// The clusters that are left when overloaded edges break. Where the others still hold a cluster together, near the λ
/// at which it falls apart, the fuller ones break with them, down to a load of 0.4, if clusters come of it.
Partition without_overloaded(const Problem& problem, const Partition& clusters, bool forest,
                             const std::vector<double>& load) {
  Partition parts = break_overloaded(problem, clusters, forest, kFull, load);
  if (parts.groups > clusters.groups) return parts;
  Partition more = break_overloaded(problem, clusters, forest, 0.5, load);
  return are_clusters(more) ? more : parts;
}

/// Replaces the pair by the optimum on the clusters, with a flow between them only. Returns the edges of the cluster
/// graph whose ends have the same parameters there, or nothing if Newton's method needs more steps to tell.
std::optional<std::vector<char>> minimise_on(const Contraction& contraction, ClusterStart& pair) {
  auto solution = minimise_by_newton(contraction, contraction.contract_nodes(pair.w), contraction.contract_flow(pair.u),
                                     kMostStepsOfRound);
  pair.newton_steps += solution.steps;
  pair.w = contraction.lift_nodes(solution.w);
  pair.u.setZero();
  contraction.add_flow(solution.u, pair.u);
  if (!solution.converged && solution.steps == kMostStepsOfRound) return std::nullopt;
  return std::move(solution.fused);
}

/// What was broken for nothing comes together again, to the last bit. The flow holds it already.
void merge(const Problem& problem, const Contraction& contraction, const std::vector<char>& fused,
           ClusterStart& start) {
  const Partition& clusters = contraction.partition();
  const Partition larger = merged(clusters, connected_groups(contraction.graph(), fused));
  if (larger.groups == clusters.groups) return;
  ClusterStart together{start.w, start.u, 0};
  (void)minimise_on(Contraction(problem, larger), together);
  start.w = std::move(together.w);
  start.newton_steps += together.newton_steps;
}

/// Breaks the clusters, from (w, u), until they hold or only details are left that no longer count.
std::optional<ClusterStart> settle_clusters(const Problem& problem, Partition clusters, Matrix w, Matrix u,
                                            ThreadTeam& team) {
  const auto d = static_cast<double>(problem.dimension());
  const double most_step_work = 5e6 + 4 * d * (problem.edges() + 2.0 * problem.nodes());  // about two iterations

  constexpr int kMostRounds = 16;
  constexpr double kDetail = 1e-11;  // of the objective
  const bool forest = is_forest(problem.graph());
  ClusterStart start{std::move(w), std::move(u), 0};
  double last_objective = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kMostRounds && are_clusters(clusters); ++round) {
    const Contraction contraction(problem, clusters);
    if (newton_step_work(contraction) > most_step_work) return std::nullopt;
    const auto fused = minimise_on(contraction, start);
    const double left = add_current(problem, clusters, start.w, forest, kRough, team, start.u);
    if (left > kUnsettled) return std::nullopt;
    Partition parts = without_overloaded(problem, clusters, forest, loads(problem, start.u, team));
    const bool holds = parts.groups == clusters.groups;
    bool settled = false;
    if (!fused) {  // where Newton's method has not come to an end, another round may be of no use
      const double reached = objective(problem, start.w);
      settled = std::abs(reached - std::exchange(last_objective, reached)) <= kDetail * std::abs(reached);
    }
    if (settled || (holds && (fused || round + 1 == kMostRounds))) {
      // Added to what is there, it brings what is left.
      if (left > kExact.accuracy) (void)add_current(problem, clusters, start.w, forest, kExact, team, start.u);
      project_flow(problem, start.u);
      if (fused) merge(problem, contraction, *fused, start);
      return start;
    }
    clusters = std::move(parts);
    project_flow(problem, start.u);
  }
  return std::nullopt;
}

}  // namespace

std::optional<ClusterStart> start_from_one_cluster(const Problem& problem, ThreadTeam& team) {
  // In a forest message passing soon shows where clusters are; one cut after the other would take longer.
  if (is_forest(problem.graph()) || !is_worth_currents(problem)) return std::nullopt;
  return settle_clusters(problem, connected_groups(problem.graph()), start_point(problem),
                         Matrix::Zero(problem.dimension(), problem.edges()), team);
}

std::optional<ClusterStart> start_from_clusters(const Problem& problem, Partition clusters, Matrix w, Matrix u,
                                                ThreadTeam& team) {
  if (!are_clusters(clusters) || !is_worth_currents(problem)) return std::nullopt;
  return settle_clusters(problem, std::move(clusters), std::move(w), std::move(u), team);
}

}  // namespace gtvmin
