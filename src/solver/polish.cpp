#include "gtvmin/solver/polish.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "gtvmin/second_order/contraction.h"
#include "gtvmin/second_order/newton.h"

namespace gtvmin {
namespace {

/// Moves every flow that is nearly a subgradient of κφ at its difference v onto the subgradients: a dual update with a
/// long step leaves just the part of the flow that v does not determine. The step is long for differences of the usual
/// size only, so that rounding in a difference that should be 0 does not count.
void settle_flow(const Problem& problem, const Matrix& w, Matrix& u) {
  const auto& graph = problem.graph();
  const Index d = w.rows();
  const Matrix differences = apply_incidence(graph, w);
  const double usual = differences.size() > 0 ? differences.colwise().norm().maxCoeff() : 0;
  if (usual == 0) return;
  Vector scratch(d);
  std::visit(
      [&](const auto& penalty) {
        for (EdgeId e = 0; e < graph.edges(); ++e) {
          const double sigma = 1e6 * problem.kappa(e) / usual;
          u.col(e) += sigma * differences.col(e);
          penalty.dual_update(u.data() + e * d, d, problem.kappa(e), sigma, scratch.data());
        }
      },
      problem.penalty());
}

}  // namespace

Partition groups_with_room(const Problem& problem, const Matrix& u) {
  constexpr double kRoom = 1e-6;  // relative to κ
  std::vector<char> open(problem.edges(), 0);
  std::visit(
      [&](const auto& penalty) {
        if constexpr (std::decay_t<decltype(penalty)>::kIsNorm) {
          for (EdgeId e = 0; e < problem.edges(); ++e) {
            const double norm = penalty.dual_norm(u.data() + e * u.rows(), u.rows());
            open[e] = norm < (1 - kRoom) * problem.kappa(e) ? 1 : 0;
          }
        }
      },
      problem.penalty());
  return connected_groups(problem.graph(), open);
}

Polished polish(const Problem& problem, const Matrix& w, const Matrix& u, Partition groups, std::int64_t most_steps,
                const CertifyEffort& effort) {
  const bool curved = is_curved_everywhere(problem);
  const bool with_given_flow_only = curved && !effort.exact;
  Polished polished{w, u, {}, 0};
  Polished with_given_flow;
  const auto certify_polished = [&](Polished& pair, bool routing_first) {
    CertifyEffort suited = effort;
    suited.routing_first = routing_first;
    auto certified = certify(problem, pair.w, std::move(pair.u), suited);
    pair.certificate = std::move(certified.certificate);
    pair.u = std::move(certified.u);
  };
  for (int round = 0; round < 4; ++round) {
    const Contraction contraction(problem, std::move(groups));
    const Matrix flow = contraction.contract_flow(polished.u);
    const auto solution =
        minimise_by_newton(contraction, contraction.contract_nodes(polished.w), flow,
                           most_steps - polished.newton_steps, with_given_flow_only ? effort.enough / 10 : 0);
    polished.newton_steps += solution.steps;
    polished.w = contraction.lift_nodes(solution.w);
    if (round == 0 && curved) {
      // Curved losses absorb what the flow misses at the new w; long before it fits exactly that may be good enough.
      with_given_flow = {polished.w, u, {}, 0};
      certify_polished(with_given_flow, false);
      if (with_given_flow_only) break;
    }
    contraction.add_flow(solution.u - flow, polished.u);
    settle_flow(problem, polished.w, polished.u);
    if (std::find(solution.fused.begin(), solution.fused.end(), 1) == solution.fused.end()) break;
    groups = merged(contraction.partition(), connected_groups(contraction.graph(), solution.fused));
  }
  if (!with_given_flow_only) certify_polished(polished, true);
  const bool given_flow_is_better =
      is_bound(with_given_flow.certificate) && with_given_flow.w.size() > 0 &&
      (with_given_flow_only || with_given_flow.certificate.relative < polished.certificate.relative);
  if (!given_flow_is_better) return polished;
  with_given_flow.newton_steps = polished.newton_steps;
  return with_given_flow;
}

}  // namespace gtvmin
