#include "solve_input.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "data_source.h"
#include "gtvmin/evaluate/match_nodes.h"
#include "gtvmin/io/dataset_reader.h"
#include "gtvmin/io/table.h"
#include "gtvmin/problem/node_weights.h"
#include "gtvmin/problem/time_series.h"
#include "interrupt.h"
#include "local_models.h"
#include "solve_report.h"

namespace gtvmin::app {
namespace {

constexpr std::size_t kMostMessages = 20;

Result<Penalty> read_penalty(const SolveSettings& settings) {
  if (settings.quadratic_matrix.empty()) {
    return make_penalty(settings.penalty);
  }
  const Result<Matrix> q = read_matrix(settings.quadratic_matrix);
  if (!q) {
    return q.error();
  }
  Result<Penalty> penalty = make_penalty(settings.penalty, *q);
  return penalty ? std::move(penalty) : Result<Penalty>(in_file(settings.quadratic_matrix, penalty.error()));
}

Result<ModelPtr> read_model(const SolveSettings& settings, const ModelShape& shape) {
  ModelSpec spec = settings.model;
  if (settings.covariance.empty()) {
    Result<ModelPtr> model = make_local_model(spec, settings.net, shape);
    const bool names_module =
        !model && !settings.net.module.empty() && model.error().messages.front().starts_with(settings.net.module);
    return model || names_module ? std::move(model) : Result<ModelPtr>(in_file(data_source(settings), model.error()));
  }
  Result<Matrix> covariance = read_matrix(settings.covariance);
  if (!covariance) {
    return covariance.error();
  }
  spec.covariance = *std::move(covariance);
  Result<ModelPtr> model = make_model(spec, shape);
  return model ? std::move(model) : Result<ModelPtr>(in_file(settings.covariance, model.error()));
}

/// ρ of every node: as the file says, 1 where it says nothing.
Result<Vector> read_node_weights(const std::string& path, const NamedNodes& nodes) {
  const Result<Table> table = read_table(path, {"node"});
  if (!table) {
    return table.error();
  }
  if (table->number_names != std::vector<std::string>{"weight"}) {
    return bad_input(fmt::format("{}: the columns must be node and weight", path));
  }
  const auto positions = find_nodes({path, table->texts[0]}, nodes);
  if (!positions) {
    return positions.error();
  }
  Error error{Error::Kind::kBadInput, {}};
  Vector weights = Vector::Ones(static_cast<Index>(nodes.names.size()));
  for (std::size_t k = 0; k < positions->size() && error.messages.size() < kMostMessages; ++k) {
    const double weight = table->numbers(0, static_cast<Index>(k));
    weights[(*positions)[k]] = weight;
    if (!(weight > 0)) {
      error.messages.push_back(
          fmt::format("{}: node '{}': the weight must be > 0, not {:g}", path, table->texts[0][k], weight));
    }
  }
  return error.messages.empty() ? Result<Vector>(std::move(weights)) : Result<Vector>(std::move(error));
}

/// A net that cannot be evaluated on the samples of a node cannot be trained there.
Status check_start(const Dataset& dataset, const Problem& problem) {
  Error error{Error::Kind::kBadInput, {}};
  const Matrix start = start_point(problem);
  for (NodeId i = 0; i < problem.nodes() && error.messages.size() < kMostMessages; ++i) {
    const double loss = problem.loss(i).value(start.col(i));
    if (std::isfinite(loss)) {
      continue;
    }
    const std::string reason = problem.loss(i).warning();
    error.messages.push_back(fmt::format("node '{}': before training its loss is {}, not a finite number{}{}",
                                         dataset.node_names[i], loss, reason.empty() ? "" : "; ", reason));
  }
  return error.messages.empty() ? Status(Unit{}) : Status(std::move(error));
}

}  // namespace

Result<Dataset> read_samples(const SolveSettings& settings, std::vector<std::string>& warnings) {
  const LabelDomain labels = local_label_domain(settings.model, settings.net);
  Result<Dataset> dataset =
      settings.data.empty()
          ? read_dataset_folder(settings.data_dir, settings.edges, settings.columns, labels,
                                InterruptGuard::interrupted)
          : read_dataset(settings.data, settings.edges, settings.columns, labels, InterruptGuard::interrupted);
  if (!dataset || settings.model.name != "autoregressive") {
    return dataset;
  }
  Result<LaggedSeries> lagged = lagged_samples(*dataset, settings.model.order);
  if (!lagged) {
    return in_file(data_source(settings), lagged.error());
  }
  if (lagged->gaps > 0) {
    warnings.push_back(fmt::format("{} values were omitted because one of the {} values before them is missing",
                                   lagged->gaps, settings.model.order));
  }
  return std::move(lagged->samples);
}

Result<SolveInput> make_solve_input(const SolveSettings& settings, Dataset dataset, std::vector<std::string> warnings,
                                    const ChooseNodes& choose) {
  Result<Penalty> penalty = read_penalty(settings);
  if (!penalty) {
    return penalty.error();
  }
  std::optional<Standardization> standardization;
  if (settings.standardize) {
    standardization = standardize_features(dataset, InterruptGuard::interrupted);
    if (InterruptGuard::interrupted()) {
      return interrupted();
    }
  }
  Result<ModelPtr> model = read_model(settings, shape_of(dataset));
  if (!model) {
    return model.error();
  }
  Dataset part;
  if (choose) {
    const Result<std::vector<char>> chosen = choose(dataset, **model);
    if (!chosen) {
      return chosen.error();
    }
    part = keep_samples(dataset, *chosen);
    dataset.release_contents();
  }
  Result<Problem> problem = make_problem(choose ? part : dataset, **model, settings.model.couple, *std::move(penalty),
                                         settings.lambda, InterruptGuard::interrupted);
  if (!problem) {
    return in_file(data_source(settings), problem.error());
  }
  if (!settings.node_weights.empty()) {
    const Result<Vector> weights =
        read_node_weights(settings.node_weights, {data_source(settings), dataset.node_names});
    if (!weights) {
      return weights.error();
    }
    problem = weigh_nodes(*std::move(problem), *weights);
    if (!problem) {
      return in_file(settings.node_weights, problem.error());
    }
  }
  const char* const untrained = is_neural_net(settings.model.name) ? "those at the start" : "0";
  if (is_neural_net(settings.model.name)) {
    if (const Status finite = check_start(dataset, *problem); !finite) {
      return in_file(data_source(settings), finite.error());
    }
  }
  for (std::string& warning : input_warnings(dataset, problem->graph(), standardization, untrained)) {
    warnings.push_back(std::move(warning));
  }
  return SolveInput{std::move(dataset), *std::move(model), *std::move(problem), std::move(standardization),
                    std::move(warnings)};
}

Result<SolveInput> read_solve_input(const SolveSettings& settings, const ChooseNodes& choose) {
  std::vector<std::string> warnings;
  Result<Dataset> dataset = read_samples(settings, warnings);
  if (!dataset) {
    return dataset.error();
  }
  return make_solve_input(settings, *std::move(dataset), std::move(warnings), choose);
}

}  // namespace gtvmin::app
