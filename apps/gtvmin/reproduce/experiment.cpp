#include "experiment.h"

#include <fmt/format.h>

namespace gtvmin::app {

std::string_view to_string(Reading reading) { return reading == Reading::kAsWritten ? "as-written" : "as-run"; }

std::string_view to_string(LossWeights weights) { return weights == LossWeights::kEqual ? "equal" : "cluster-degree"; }

std::string_view to_string(Metric metric) {
  switch (metric) {
    case Metric::kParameters:
      return "parameters";
    case Metric::kPerCoordinate:
      return "per-coordinate";
    case Metric::kLabels:
      return "labels";
    case Metric::kUnseenLabels:
      return "unseen-labels";
    case Metric::kScatter:
      return "scatter";
    case Metric::kAccuracy:
      return "accuracy";
  }
  return {};
}

std::string_view describe(Metric metric) {
  switch (metric) {
    case Metric::kParameters:
      return "squared error of the parameters per node";
    case Metric::kPerCoordinate:
      return "squared error of the parameters per coordinate";
    case Metric::kLabels:
      return "squared error of the labels of all nodes";
    case Metric::kUnseenLabels:
      return "squared error of the labels of the nodes without accessible data";
    case Metric::kScatter:
      return "number of different models among the nodes";
    case Metric::kAccuracy:
      return "share of right labels among held-out samples";
  }
  return {};
}

std::string SeriesId::name() const {
  return variant->name.empty() ? method->name : fmt::format("{} {}", method->name, variant->name);
}

std::vector<SeriesId> series_of(const Experiment& experiment, Reading reading) {
  std::vector<SeriesId> series;
  series.reserve(experiment.methods.size() * experiment.variants.size());
  for (const ExperimentMethod& method : experiment.methods) {
    if (method.only && *method.only != reading) continue;
    for (const Variant& variant : experiment.variants) series.push_back({&method, &variant});
  }
  return series;
}

std::string describe_numbers(const Experiment& experiment, Reading reading) {
  std::string text(describe(experiment.changes(reading).metric));
  for (const SeriesId& series : series_of(experiment, reading)) {
    if (series.method->kind != MethodKind::kCriticalLambda) continue;
    text += fmt::format("; {}: the least λ at which all nodes share one model",
                        fill_in(experiment.mean_column, series.key()));
  }
  return text;
}

std::string fill_in(std::string_view pattern, std::string_view text) {
  std::string filled(pattern);
  if (const std::size_t gap = filled.find("{}"); gap != std::string::npos) filled.replace(gap, 2, text);
  return filled;
}

}  // namespace gtvmin::app
