#include "gtvmin/io/trained_models.h"

#include "gtvmin/io/csv_writer.h"
#include "gtvmin/version.h"
#include "summary_fields.h"

namespace gtvmin {
namespace {

SummaryJson standardization_json(const TrainedModels& trained) {
  SummaryJson means = SummaryJson::object();
  SummaryJson scales = SummaryJson::object();
  for (std::size_t f = 0; f < trained.dataset.feature_names.size(); ++f) {
    means[trained.dataset.feature_names[f]] = trained.standardization->means(static_cast<Index>(f));
    scales[trained.dataset.feature_names[f]] = trained.standardization->scales(static_cast<Index>(f));
  }
  return {{"means", means}, {"scales", scales}};
}

}  // namespace

std::string parameters_csv(const TrainedModels& trained, const Stop& stop) {
  StopPoll poll(stop);
  CsvWriter out;
  out.text("node");
  for (const std::string& name : trained.model.parameter_names()) {
    out.text(name);
  }
  out.end_row();
  const Matrix shown = trained.model.units().asDiagonal() * trained.parameters;
  for (NodeId i = 0; i < trained.problem.nodes() && !poll(); ++i) {
    out.text(trained.dataset.node_names[static_cast<std::size_t>(i)]);
    for (Index k = 0; k < shown.rows(); ++k) {
      out.number(shown(k, i));
    }
    out.end_row();
  }
  return out.take();
}

std::string clusters_csv(const TrainedModels& trained, const Stop& stop) {
  StopPoll poll(stop);
  CsvWriter out({"node", "cluster"});
  for (NodeId i = 0; i < trained.problem.nodes() && !poll(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    out.text(trained.dataset.node_names[at]).integer(trained.clusters.group_of[at]).end_row();
  }
  return out.take();
}

void add_trained_models(const TrainedModels& trained, const std::vector<std::string>& warnings, SummaryJson& json) {
  json["nodes"] = trained.problem.nodes();
  json["edges"] = trained.problem.edges();
  json["samples"] = trained.dataset.samples();
  json["dimension"] = trained.problem.dimension();
  json["clusters"] = trained.clusters.groups;
  json["lambda"] = trained.problem.lambda();
  json["penalty"] = penalty_name(trained.problem.penalty());
  json["model"] = trained.model_name;
  json["features"] = trained.dataset.feature_names;
  if (!trained.dataset.class_names.empty()) {
    json["classes"] = trained.dataset.class_names;
  }
  json["method"] = trained.method;
  json["seed"] = trained.seed;
  json["version"] = version_string();
  json["warnings"] = warnings;
  if (trained.standardization) {
    json["standardize"] = standardization_json(trained);
  }
  json["options"] = SummaryJson::parse(trained.options_json);
}

SummaryJson certificate_json(const Certificate& certificate) {
  SummaryJson json = {
      {"kind", to_string(certificate.kind)}, {"value", certificate.value}, {"relative", certificate.relative}};
  return json;
}

std::string to_text(const SummaryJson& json) {
  // Names of nodes are bytes from a file; those that are no UTF-8 must not stop the report.
  return json.dump(2, ' ', false, SummaryJson::error_handler_t::replace) + "\n";
}

}  // namespace gtvmin
