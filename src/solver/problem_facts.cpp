#include "gtvmin/solver/problem_facts.h"

#include <algorithm>
#include <variant>
#include <vector>

#include "gtvmin/solver/newton_work.h"

namespace gtvmin {
namespace {

/// Operations of a prox: what an iteration does at a node besides adding flows.
double prox_work(const LocalLoss& loss) {
  const auto d = static_cast<double>(loss.dimension());
  if (const QuadraticForm* form = loss.quadratic_form()) return 4 * d * static_cast<double>(form->rank) + 4 * d;
  const SampleForm* form = loss.sample_form();
  const double samples = form == nullptr ? d : static_cast<double>(form->samples);
  // An inner Newton method; an interior point method where there are kinks.
  constexpr double kSmoothSteps = 3;
  constexpr double kKinkSteps = 12;
  const double steps = loss.is_smooth() ? kSmoothSteps : kKinkSteps;
  return 200 + steps * (samples * d * (d + 20) + d * d * d / 3);
}

}  // namespace

ProblemFacts::ProblemFacts(const Problem& problem) {
  dimension = problem.dimension();
  convex = is_convex(problem);
  norm = is_norm(problem.penalty());
  custom_penalty = std::holds_alternative<CustomPenalty>(problem.penalty());
  forest = is_forest(problem.graph());
  std::vector<char> coupled(problem.edges());
  for (EdgeId e = 0; e < problem.edges(); ++e) coupled[e] = problem.kappa(e) > 0 ? 1 : 0;
  components = connected_groups(problem.graph(), coupled);
  const auto d = static_cast<double>(dimension);
  // Slopes that answer a flow are found like a prox, but to the last bit.
  constexpr double kFitsOfProx = 5;
  double fits = 0;
  iteration_work = 1000 + 10 * d * static_cast<double>(problem.edges());
  for (NodeId i = 0; i < problem.nodes(); ++i) {
    const LocalLoss& loss = problem.loss(i);
    smooth_losses = smooth_losses && loss.is_smooth();
    if (loss.is_trivial()) ++nodes_without_data;
    iteration_work += 20 + prox_work(loss);
    if (loss.quadratic_form() == nullptr) fits += kFitsOfProx * prox_work(loss);
  }
  if (convex) samples = SampleProblem::make(problem);
  if (samples) certificate_work = gtvmin::certificate_work(*samples) + fits;
}

}  // namespace gtvmin
