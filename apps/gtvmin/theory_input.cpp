#include "theory_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "data_source.h"
#include "gtvmin/theory/hessian_bounds.h"
#include "stored_result.h"

namespace gtvmin::app {
namespace {

/// The options that chose a loss, as the command line spells them.
std::string loss_options(const ModelSpec& model) {
  switch (model.residual_loss) {
    case ResidualLoss::kSquared:
      return "--model " + model.name;
    case ResidualLoss::kAbsolute:
      return "--model " + model.name + " --loss absolute";
    case ResidualLoss::kHuber:
      return "--model " + model.name + " --loss huber";
  }
  return model.name;
}

Status check_applies(const SolveSettings& settings, const Problem& problem) {
  Error error{Error::Kind::kUsage, {}};
  if (const std::string reason = analysis_refusal(problem.penalty()); !reason.empty()) {
    error.messages.push_back(
        fmt::format("--penalty {}: the penalty {}; the analysis needs l1, l2 or linf", settings.penalty, reason));
  }
  for (NodeId i = 0; i < problem.nodes(); ++i) {
    const std::string reason = analysis_refusal(problem.loss(i));
    if (reason.empty()) continue;
    error.messages.push_back(
        fmt::format("{}: the loss {}; the analysis needs losses that are quadratic, logistic or Poisson",
                    loss_options(settings.model), reason));
    break;
  }
  return error.messages.empty() ? Status(Unit{}) : Status(std::move(error));
}

Status read_partition(const TheorySettings& settings, TheoryInput& input) {
  const Dataset& dataset = input.problem.dataset;
  std::string path = settings.clusters;
  if (path.empty() && !settings.directory.empty()) path = settings.directory + "/clusters.csv";
  if (path.empty()) {
    input.clusters = connected_groups(input.problem.problem.graph());
    input.clusters_from = "components of the graph";
    for (NodeId c = 0; c < input.clusters.groups; ++c) input.cluster_names.push_back(std::to_string(c));
    return Unit{};
  }
  Result<StoredClusters> stored = read_clusters(path);
  if (!stored) return stored.error();
  const auto positions = match_nodes({data_source(settings.input), dataset.node_names}, {path, stored->nodes});
  if (!positions) return positions.error();
  input.clusters.groups = stored->clusters.groups;
  for (const NodeId position : *positions) input.clusters.group_of.push_back(stored->clusters.group_of[position]);
  input.cluster_names = std::move(stored->names);
  input.clusters_from = path;
  return Unit{};
}

/// Positions of the coupled parameters among all; empty where they are not known.
std::vector<Index> coupled_rows(const Problem& problem, Index parameters) {
  if (problem.dimension() == parameters) {
    std::vector<Index> all(static_cast<std::size_t>(parameters));
    std::iota(all.begin(), all.end(), Index{0});
    return all;
  }
  for (NodeId i = 0; i < problem.nodes(); ++i) {
    const SampleForm* form = problem.loss(i).sample_form();
    if (form != nullptr && !form->coupled.empty()) return {form->coupled.begin(), form->coupled.end()};
  }
  return {};
}

Status read_learnt(const TheorySettings& settings, TheoryInput& input) {
  if (settings.directory.empty()) return Unit{};
  const Result<StoredResult> stored = read_stored_result(settings.directory);
  if (!stored) return stored.error();
  const auto columns = match_nodes({data_source(settings.input), input.problem.dataset.node_names},
                                   {stored->parameters_path, stored->nodes});
  if (!columns) return columns.error();
  const std::vector<Index> rows = coupled_rows(input.problem.problem, stored->w.rows());
  if (!rows.empty()) input.learnt = Matrix(stored->w(rows, *columns));
  return Unit{};
}

}  // namespace

Result<TheoryInput> read_theory_input(const TheorySettings& settings) {
  Result<SolveInput> problem = read_solve_input(settings.input);
  if (!problem) return problem.error();
  if (const Status applies = check_applies(settings.input, problem->problem); !applies) return applies.error();
  TheoryInput input{
      .problem = *std::move(problem), .clusters = {}, .cluster_names = {}, .clusters_from = {}, .learnt = {}};
  input.problem.dataset.release_contents();
  if (const Status read = read_partition(settings, input); !read) return read.error();
  if (const Status read = read_learnt(settings, input); !read) return read.error();
  return input;
}

std::optional<double> measured_deviation(const TheoryRecord& record, const ClusterAnalysis& cluster) {
  if (!record.input.learnt || !cluster.constants.minimiser.attained) return std::nullopt;
  double largest = 0;
  for (const NodeId i : cluster.constants.nodes) {
    largest = std::max(largest, norm_of(record.input.problem.problem.penalty(),
                                        record.input.learnt->col(i) - cluster.constants.minimiser.w));
  }
  return largest;
}

}  // namespace gtvmin::app
