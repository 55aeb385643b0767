#include <fmt/format.h>

#include <algorithm>

#include "evaluate_options.h"
#include "evaluate_report.h"
#include "gtvmin/evaluate/adjusted_rand_index.h"
#include "gtvmin/evaluate/data_units.h"
#include "gtvmin/evaluate/held_out.h"
#include "gtvmin/evaluate/match_nodes.h"
#include "gtvmin/io/table.h"
#include "gtvmin/problem/time_series.h"
#include "local_models.h"
#include "result_command.h"
#include "solve_report.h"
#include "stored_result.h"

namespace gtvmin::app {
namespace {

/// For every coordinate of the truth its row among the learnt parameters. The intercept alone may lack a truth.
Result<std::vector<Index>> match_coordinates(const std::string& truth_path, const std::vector<std::string>& truth,
                                             const StoredResult& result) {
  Error error{Error::Kind::kBadInput, {}};
  std::vector<Index> rows;
  for (const std::string& name : truth) {
    const auto found = std::find(result.coordinates.begin(), result.coordinates.end(), name);
    rows.push_back(found - result.coordinates.begin());
    if (found == result.coordinates.end()) {
      error.messages.push_back(fmt::format("{}: there is no column '{}'", result.parameters_path, name));
    }
  }
  for (const std::string& name : result.columns.features) {
    if (std::find(truth.begin(), truth.end(), name) == truth.end()) {
      error.messages.push_back(fmt::format("{}: there is no column '{}'", truth_path, name));
    }
  }
  if (!error.messages.empty()) return error;
  return rows;
}

/// As parameters.csv has them.
std::optional<Matrix> shown_parameters(const StoredResult& result) {
  return result.model->units().asDiagonal() * result.w;
}

Result<Evaluation::Parameters> compare_parameters(const StoredResult& result, const std::string& truth_path) {
  const Result<Table> truth = read_table(truth_path, {"node"});
  if (!truth) return truth.error();
  const auto rows = match_coordinates(truth_path, truth->number_names, result);
  if (!rows) return rows.error();
  const auto columns = match_nodes({truth_path, truth->texts[0]}, {result.parameters_path, result.nodes});
  if (!columns) return columns.error();
  const auto& map = result.standardization;
  const std::optional<Matrix> learnt = map ? in_data_units(result.spec, *map, result.w) : shown_parameters(result);
  if (!learnt) {
    return usage_error(fmt::format(
        "--truth: the parameters of {} refer to standardised features and cannot be converted to the units of the data",
        result.spec.name));
  }
  return Evaluation::Parameters{.error = parameter_error((*learnt)(*rows, *columns), truth->numbers),
                                .coordinates = truth->number_names,
                                .nodes = truth->rows(),
                                .without_intercept = rows->size() < result.coordinates.size(),
                                .converted = map.has_value()};
}

/// Samples as the model was trained with; of series, the values with those before them.
Result<Dataset> read_held_out(const StoredResult& result, const std::string& path) {
  if (result.spec.name != "autoregressive") {
    return read_dataset(path, {}, result.columns, local_label_domain(result.spec, result.net));
  }
  DataColumns columns = result.columns;
  columns.features = {result.time_column};
  const Result<Dataset> series = read_dataset(path, {}, columns, LabelDomain::kReal);
  if (!series) return series.error();
  Result<LaggedSeries> lagged = lagged_samples(*series, result.spec.order);
  return lagged ? Result<Dataset>(std::move(lagged->samples)) : Result<Dataset>(in_file(path, lagged.error()));
}

Result<Evaluation::Labels> compare_labels(const StoredResult& result, const std::string& data_path) {
  if (result.model->predicts() == PredictionKind::kNone) {
    return usage_error(fmt::format("--data: the model {} of this result has no labels to predict", result.spec.name));
  }
  Result<Dataset> held_out = read_held_out(result, data_path);
  if (!held_out) return held_out.error();
  const auto columns = match_held_out(
      data_path, {{result.parameters_path, result.nodes}, result.classes, result.standardization}, *held_out);
  if (!columns) return columns.error();
  return Evaluation::Labels{label_error(*result.model, result.w, *held_out, *columns), held_out->nodes()};
}

Result<Evaluation::Clusters> compare_clusters(const std::string& found_path, const std::string& expected_path) {
  const Result<StoredClusters> found = read_clusters(found_path);
  if (!found) return found.error();
  const Result<StoredClusters> expected = read_clusters(expected_path);
  if (!expected) return expected.error();
  const auto positions = match_nodes({expected_path, expected->nodes}, {found_path, found->nodes});
  if (!positions) return positions.error();
  std::vector<NodeId> found_groups;
  for (const NodeId i : *positions) found_groups.push_back(found->clusters.group_of[i]);
  return Evaluation::Clusters{adjusted_rand_index(found_groups, expected->clusters.group_of), found->clusters.groups,
                              expected->clusters.groups};
}

/// Moves a part of the evaluation to its place; false, and the messages, if there is none.
template <class T>
void keep(Result<T> part, std::optional<T>& place, Error& error) {
  if (part) {
    place = *std::move(part);
    return;
  }
  error.kind = part.error().kind;
  error.messages.insert(error.messages.end(), part.error().messages.begin(), part.error().messages.end());
}

int run_evaluate(const EvaluateSettings& settings) {
  if (settings.truth.empty() && settings.clusters.empty() && settings.data.empty()) {
    return report(usage_error("nothing to compare with: give --truth, --clusters or --data"));
  }
  const Result<StoredResult> result = read_stored_result(settings.directory);
  if (!result) return report(result.error());

  Evaluation evaluation;
  Error error;
  if (!settings.truth.empty()) keep(compare_parameters(*result, settings.truth), evaluation.parameters, error);
  if (!settings.data.empty()) keep(compare_labels(*result, settings.data), evaluation.labels, error);
  if (!settings.clusters.empty()) {
    keep(compare_clusters(settings.directory + "/clusters.csv", settings.clusters), evaluation.clusters, error);
  }
  if (!error.messages.empty()) return report(error);
  fmt::print("{}", settings.json ? evaluation_json(evaluation) : evaluation_text(evaluation));
  return kSolved;
}

}  // namespace

OptionSet declare_evaluate_options(EvaluateSettings& settings) {
  OptionSet options;
  options.path("truth", settings.truth, "CSV node,parameters…: the true parameters; gives the mean squared error");
  options.path("data", settings.data, "CSV of samples not used for training; gives the prediction error");
  options.path("clusters", settings.clusters, "CSV node,cluster: the true clusters; gives the adjusted Rand index");
  options.flag("json", settings.json, "Print one JSON object to stdout and nothing else");
  return options;
}

void add_evaluate_command(CLI::App& app, Action& action) {
  add_result_command<EvaluateSettings>(app, action, "evaluate",
                                       "Compare a result with true parameters, true clusters or held-out samples",
                                       &declare_evaluate_options, &run_evaluate);
}

}  // namespace gtvmin::app
