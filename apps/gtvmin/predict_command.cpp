#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <numeric>
#include <unordered_map>

#include "gtvmin/evaluate/data_units.h"
#include "gtvmin/io/csv_writer.h"
#include "gtvmin/io/dataset_reader.h"
#include "gtvmin/io/output_file.h"
#include "gtvmin/io/table.h"
#include "gtvmin/problem/time_series.h"
#include "gtvmin/solver/new_nodes.h"
#include "interrupt.h"
#include "predict_options.h"
#include "result_command.h"
#include "stored_result.h"

namespace gtvmin::app {
namespace {

bool is_series(const StoredResult& result) { return result.spec.name == "autoregressive"; }

/// New rows need no label; of a series the values are what the next ones are predicted from.
Result<Dataset> read_rows(const PredictSettings& settings, const StoredResult& result) {
  DataColumns columns = result.columns;
  if (is_series(result)) columns.features = {result.time_column};
  return read_dataset(settings.data, settings.edges, columns,
                      is_series(result) ? LabelDomain::kReal : LabelDomain::kNone);
}

Result<Penalty> stored_penalty(const StoredResult& result) {
  if (result.penalty != "quadratic") return make_penalty(result.penalty);
  const Result<Matrix> q = read_matrix(result.quadratic_matrix);
  return q ? make_penalty(result.penalty, *q) : Result<Penalty>(q.error());
}

/// The column of every node of the dataset: trained nodes keep theirs, the others follow in the order of the dataset.
struct Columns {
  std::vector<NodeId> of_node;
  std::vector<std::string> new_names;
};

Columns match_columns(const StoredResult& result, const Dataset& dataset) {
  std::unordered_map<std::string, NodeId> trained;
  for (const std::string& name : result.nodes) trained.emplace(name, static_cast<NodeId>(trained.size()));
  Columns columns;
  for (const std::string& name : dataset.node_names) {
    const auto found = trained.find(name);
    if (found != trained.end()) {
      columns.of_node.push_back(found->second);
      continue;
    }
    columns.of_node.push_back(static_cast<NodeId>(result.nodes.size() + columns.new_names.size()));
    columns.new_names.push_back(name);
  }
  return columns;
}

Error lost_nodes(const std::vector<NodeId>& lost, const StoredResult& result, const Columns& columns) {
  constexpr std::size_t kListed = 20;
  Error error{Error::Kind::kBadInput, {}};
  for (std::size_t k = 0; k < std::min(lost.size(), kListed); ++k) {
    const std::string& name = columns.new_names[static_cast<std::size_t>(lost[k]) - result.nodes.size()];
    error.messages.push_back(fmt::format("node '{}' was not trained, and no edges connect it to a trained node", name));
  }
  if (lost.size() > kListed) error.messages.push_back(fmt::format("and {} more", lost.size() - kListed));
  return error;
}

/// The parameters of all nodes of the dataset, those of new ones from their neighbours.
Result<Matrix> parameters(const StoredResult& result, const Dataset& dataset, const Columns& columns) {
  if (columns.new_names.empty()) return result.w;
  if (!result.spec.couple.empty()) {
    return usage_error(
        fmt::format("node '{}' was not trained; this model has private parameters, which neighbours do not determine",
                    columns.new_names.front()));
  }
  std::vector<WeightedEdge> edges;
  for (const WeightedEdge& edge : dataset.edges) {
    edges.push_back({columns.of_node[edge.a], columns.of_node[edge.b], edge.weight});
  }
  const auto nodes = static_cast<NodeId>(result.nodes.size() + columns.new_names.size());
  const auto graph = EmpiricalGraph::make(nodes, std::move(edges));
  if (!graph) return graph.error();
  const auto lost = unreachable_nodes(*graph, static_cast<NodeId>(result.nodes.size()));
  if (!lost.empty()) return lost_nodes(lost, result, columns);
  Result<Penalty> penalty = stored_penalty(result);
  if (!penalty) return penalty.error();
  const Result<Matrix> added = parameters_of_new_nodes(result.w, *graph, *std::move(penalty));
  if (!added) return added.error();
  Matrix all(result.w.rows(), nodes);
  all << result.w, *added;
  return all;
}

/// A prediction that is not a finite number, in words.
Error not_finite(const std::string& node, double prediction) {
  return bad_input(
      fmt::format("node '{}': a prediction is {}, not a finite number; its features are too large", node, prediction));
}

/// One row per row of the file, in its order.
Result<std::string> row_predictions(const StoredResult& result, const Dataset& dataset, const Matrix& w,
                                    const std::vector<NodeId>& column_of) {
  const bool classes = result.model->predicts() == PredictionKind::kClasses;
  CsvWriter out;
  out.text("node").text("prediction");
  for (const std::string& name : result.classes) out.text("p:" + name);
  out.end_row();
  std::vector<Matrix> predicted(dataset.node_names.size());
  std::vector<std::pair<NodeId, Index>> sample_in_row(static_cast<std::size_t>(dataset.samples()));
  for (NodeId i = 0; i < dataset.nodes(); ++i) {
    const Index first = dataset.first_sample[i];
    predicted[i] =
        result.model->predict(w.col(column_of[i]), dataset.features.middleCols(first, dataset.samples_of(i)));
    for (Index r = first; r < dataset.first_sample[i + 1]; ++r) {
      const Index row = dataset.row_of_sample.empty() ? r : dataset.row_of_sample[r];
      sample_in_row[row] = {i, r - first};
    }
  }
  for (const auto& [node, sample] : sample_in_row) {
    const auto here = predicted[node].col(sample);
    out.text(dataset.node_names[node]);
    if (classes) {
      Index best = 0;
      here.maxCoeff(&best);
      out.text(result.classes[static_cast<std::size_t>(best)]);
      for (const double log_probability : here) {
        if (std::isnan(log_probability)) return not_finite(dataset.node_names[node], log_probability);
        out.number(std::exp(log_probability));
      }
    } else {
      if (!std::isfinite(here[0])) return not_finite(dataset.node_names[node], here[0]);
      out.number(here[0]);
    }
    out.end_row();
  }
  return out.take();
}

/// The next values of every series, each predicted from those before it.
Result<std::string> forecasts(const StoredResult& result, const Dataset& series, const Matrix& w,
                              const std::vector<NodeId>& column_of, int horizon) {
  const Result<std::vector<SeriesEnd>> ends = series_ends(series, result.spec.order);
  if (!ends) return ends.error();
  CsvWriter out({"node", "time", "prediction"});
  for (const SeriesEnd& end : *ends) {
    Vector lags = end.lags;
    for (int step = 1; step <= horizon; ++step) {
      const double next = result.model->predict(w.col(column_of[end.node]), lags)(0, 0);
      if (!std::isfinite(next)) return not_finite(series.node_names[end.node], next);
      out.text(series.node_names[end.node]).number(end.time + step * end.step).number(next).end_row();
      for (Index k = lags.size() - 1; k > 0; --k) lags[k] = lags[k - 1];
      lags[0] = next;
    }
  }
  return out.take();
}

int run_predict(const PredictSettings& settings) {
  if (!settings.out.empty()) {
    if (const Status writable = check_output_file(settings.out, settings.force); !writable) {
      return report(writable.error());
    }
  }
  const Result<StoredResult> result = read_stored_result(settings.directory);
  if (!result) return report(result.error());
  if (result->model->predicts() == PredictionKind::kNone) {
    return report(usage_error(fmt::format("the model {} makes no predictions for new rows", result->spec.name)));
  }
  Result<Dataset> dataset = read_rows(settings, *result);
  if (!dataset) return report(dataset.error());
  const Columns columns = match_columns(*result, *dataset);
  const Result<Matrix> w = parameters(*result, *dataset, columns);
  if (!w) return report(w.error());
  if (result->standardization) apply_standardization(*result->standardization, *dataset);
  const Result<std::string> text = is_series(*result)
                                       ? forecasts(*result, *dataset, *w, columns.of_node, settings.horizon)
                                       : row_predictions(*result, *dataset, *w, columns.of_node);
  if (!text) return report(text.error());
  if (settings.out.empty()) {
    fmt::print("{}", *text);
    return kSolved;
  }
  WritingGuard writing;
  const Status written = write_output_file(settings.out, settings.force, *text, writing.stop());
  return written ? kSolved : report(written.error());
}

}  // namespace

OptionSet declare_predict_options(PredictSettings& settings) {
  OptionSet options;
  options.path("data", settings.data, "CSV of new rows with node and features; a label is not needed")
      .required("the new rows, e.g. --data new.csv");
  options.path("edges", settings.edges, "CSV source,target[,weight]: edges of nodes that were not trained");
  options.path("out", settings.out, "File for the predictions; default: stdout");
  options.flag("force", settings.force, "Replace the file --out");
  options.integer("horizon", settings.horizon, Range::between(1, 1'000'000),
                  "Number of future values per series (--model autoregressive)");
  return options;
}

void add_predict_command(CLI::App& app, Action& action) {
  add_result_command<PredictSettings>(app, action, "predict",
                                      "Predict labels of new rows, also of nodes that were not trained",
                                      &declare_predict_options, &run_predict);
}

}  // namespace gtvmin::app
