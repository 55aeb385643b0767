#include "evaluate_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace gtvmin::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kListedCoordinates = 10;

std::string line(std::string_view subject, std::string_view quantity, double value, std::string_view meaning) {
  return fmt::format("{:<11} {:<23} {:<12.6g} {}\n", subject, quantity, value, meaning);
}

std::string text(const Evaluation::Parameters& p) {
  const std::size_t count = p.coordinates.size();
  std::string table = line("parameters", "MSE", p.error.mse,
                           fmt::format("mean over {} nodes of ‖ŵ − w̄‖², the sum over {} coordinates", p.nodes, count));
  table += line("", "MSE per coordinate", p.error.per_coordinate, fmt::format("the same, divided by {}", count));
  if (count > 1 && count <= kListedCoordinates) {
    for (std::size_t k = 0; k < count; ++k) {
      table += line("", "  " + p.coordinates[k], p.error.by_coordinate[static_cast<Index>(k)], "this coordinate alone");
    }
  }
  if (p.without_intercept) table += "            (the truth has no intercept: it is left out)\n";
  if (p.converted) table += "            (converted from standardised features to the units of the data)\n";
  return table;
}

std::string text(const Evaluation::Labels& l) {
  const std::string where = fmt::format("over {} samples of {} nodes", l.error.samples, l.nodes);
  std::string table;
  if (l.error.squared) {
    table += line("labels", "mean squared error", *l.error.squared, where + ", in squared units of the label");
  }
  if (l.error.misclassification) {
    table += line("labels", "misclassification rate", *l.error.misclassification, where + ", share of wrong labels");
  }
  if (l.error.log_loss) table += line("", "log-loss", *l.error.log_loss, "mean of −log p(label), in nats");
  return table;
}

std::string text(const Evaluation::Clusters& c) {
  return line("clusters", "adjusted Rand index", c.adjusted_rand_index,
              fmt::format("{} found, {} expected; 1: identical, 0: no better than chance", c.found, c.expected));
}

Json json(const Evaluation::Parameters& p) {
  Json by_coordinate = Json::object();
  for (std::size_t k = 0; k < p.coordinates.size(); ++k) {
    by_coordinate[p.coordinates[k]] = p.error.by_coordinate[static_cast<Index>(k)];
  }
  return {
      {"mse", p.error.mse}, {"mse_per_coordinate", p.error.per_coordinate}, {"mse_by_coordinate", by_coordinate},
      {"nodes", p.nodes},   {"without_intercept", p.without_intercept},     {"converted_to_data_units", p.converted}};
}

Json json(const Evaluation::Labels& l) {
  Json entry = {{"samples", l.error.samples}, {"nodes", l.nodes}};
  if (l.error.squared) entry["mean_squared_error"] = *l.error.squared;
  if (l.error.misclassification) entry["misclassification_rate"] = *l.error.misclassification;
  if (l.error.log_loss) entry["log_loss"] = *l.error.log_loss;
  return entry;
}

Json json(const Evaluation::Clusters& c) {
  return {{"adjusted_rand_index", c.adjusted_rand_index}, {"found", c.found}, {"expected", c.expected}};
}

}  // namespace

std::string evaluation_text(const Evaluation& evaluation) {
  std::string table;
  if (evaluation.parameters) table += text(*evaluation.parameters);
  if (evaluation.labels) table += text(*evaluation.labels);
  if (evaluation.clusters) table += text(*evaluation.clusters);
  return table;
}

std::string evaluation_json(const Evaluation& evaluation) {
  Json object = Json::object();
  if (evaluation.parameters) object["parameters"] = json(*evaluation.parameters);
  if (evaluation.labels) object["labels"] = json(*evaluation.labels);
  if (evaluation.clusters) object["clusters"] = json(*evaluation.clusters);
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gtvmin::app
