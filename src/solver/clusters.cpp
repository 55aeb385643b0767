#include <variant>
#include <vector>

#include "gtvmin/solver/solver.h"
#include "gtvmin/solver/tuning.h"

namespace gtvmin {

std::string_view to_string(EdgeStatus status) {
  switch (status) {
    case EdgeStatus::kFused:
      return "fused";
    case EdgeStatus::kSeparate:
      return "separate";
    case EdgeStatus::kUndecided:
      return "undecided";
  }
  return "";
}

Partition equal_clusters(const EmpiricalGraph& graph, const Matrix& w) {
  std::vector<char> equal(graph.edges());
  for (EdgeId e = 0; e < graph.edges(); ++e) equal[e] = w.col(graph.head(e)) == w.col(graph.tail(e)) ? 1 : 0;
  return connected_groups(graph, equal);
}

Partition estimated_clusters(const Problem& problem, const Matrix& u) {
  std::vector<char> fused(problem.edges(), 0);
  std::visit(
      [&](const auto& penalty) {
        if constexpr (std::decay_t<decltype(penalty)>::kIsNorm) {
          for (EdgeId e = 0; e < problem.edges(); ++e) {
            const double size = penalty.dual_norm(u.data() + e * u.rows(), u.rows());
            fused[e] = size < (1 - SolverTuning().contraction_slack) * problem.kappa(e) ? 1 : 0;
          }
        }
      },
      problem.penalty());
  return connected_groups(problem.graph(), fused);
}

}  // namespace gtvmin
