#include "gtvmin/similarity/local_parameters.h"

#include <fmt/format.h>

#include "error_list.h"
#include "gtvmin/solver/local_minimiser.h"

namespace gtvmin {

Result<Matrix> fit_local_parameters(const Dataset& dataset, const ModelSpec& model, const SimilarityContext& context) {
  const Result<Problem> problem = make_problem(dataset, model, L2Penalty{}, 0);
  if (!problem) return problem.error();
  Matrix parameters(problem->dimension(), problem->nodes());
  std::vector<char> attained(problem->nodes(), 0);
  const auto fit = [&](int /*worker*/, Index i) {
    const LocalMinimiser minimiser = minimise_locally(problem->loss(static_cast<NodeId>(i)));
    parameters.col(i) = minimiser.w;
    attained[i] = minimiser.attained && minimiser.w.allFinite() ? 1 : 0;
  };
  constexpr Index kChunk = 16;
  if (const Status done = for_each_item(context, "local models", problem->nodes(), kChunk, fit); !done) {
    return done.error();
  }
  ErrorList errors;
  for (NodeId i = 0; i < dataset.nodes(); ++i) {
    if (attained[i] != 0) continue;
    errors.add(fmt::format("node '{}': its own loss has no minimum (its labels can be separated); a --ridge > 0 helps",
                           dataset.node_names[i]));
  }
  if (!errors.empty()) return errors.take();
  return parameters;
}

Result<NodeDistances> distances_between_parameters(const Dataset& dataset, const ModelSpec& model,
                                                   const SimilarityContext& context) {
  Result<Matrix> parameters = fit_local_parameters(dataset, model, context);
  if (!parameters) return parameters.error();
  return NodeDistances::between_points(*std::move(parameters));
}

}  // namespace gtvmin
