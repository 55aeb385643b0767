#include "generate_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "gtvmin/io/csv.h"

namespace gtvmin::app {
namespace {

using Numbers = std::vector<double>;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// "2,2;-2,2" as two vectors of `length` numbers.
Result<std::vector<Numbers>> parse_vectors(std::string_view option, std::string_view text, Index length) {
  std::vector<Numbers> vectors;
  for (const std::string_view part : split(text, ';')) {
    Numbers& numbers = vectors.emplace_back();
    for (const std::string_view entry : split(part, ',')) {
      const auto number = parse_number(entry);
      if (!number) return usage_error(fmt::format("--{}: '{}' is not a number", option, entry));
      numbers.push_back(*number);
    }
    if (static_cast<Index>(numbers.size()) != length) {
      return usage_error(fmt::format("--{}: '{}' has {} numbers, {} are needed", option, part, numbers.size(), length));
    }
  }
  return vectors;
}

Result<Matrix> parse_truths(const std::string& text, Index dimension) {
  const auto vectors = parse_vectors("truth-values", text, dimension);
  if (!vectors) return vectors.error();
  Matrix truths(dimension, static_cast<Index>(vectors->size()));
  for (Index c = 0; c < truths.cols(); ++c) truths.col(c) = Eigen::Map<const Vector>((*vectors)[c].data(), dimension);
  return truths;
}

Result<std::vector<Matrix>> parse_covariances(const std::string& text, Index dimension) {
  std::vector<Matrix> covariances;
  if (text.empty()) return covariances;
  const auto vectors = parse_vectors("covariance", text, dimension * dimension);
  if (!vectors) return vectors.error();
  for (const Numbers& numbers : *vectors) {
    covariances.emplace_back(Eigen::Map<const Matrix>(numbers.data(), dimension, dimension).transpose());
  }
  return covariances;
}

void declare_data(OptionSet& options, GenerateSettings& s) {
  options.group("Data");
  options.choice<SyntheticModel>(
      "model", s.data.model,
      {{"linear", SyntheticModel::kLinear}, {"logistic", SyntheticModel::kLogistic}, {"point", SyntheticModel::kPoint}},
      "Distribution of a sample given the true parameters w of its node. linear: y = wᵀx + noise; logistic: y = 1 with "
      "probability 1/(1 + exp(−wᵀx − noise)), else 0; point: x = w + noise, no label");
  options.integer("dimension", s.data.dimension, Range::between(1, 1e6), "Number of features");
  options.integer("samples", s.data.min_samples, Range::between(1, 1e9), "Samples per node");
  options.integer("max-samples", s.max_samples, Range::between(0, 1e9),
                  "If larger than --samples, the number of samples of a node is random between the two");
  options.real("noise", s.data.noise, Range::at_least(0), "Standard deviation of the noise");
  options.choice<NoisePer>("noise-per", s.data.noise_per, {{"sample", NoisePer::kSample}, {"node", NoisePer::kNode}},
                           "sample: independent noise per sample; node: one draw shared by all samples of a node");
  options.real("accessible", s.data.accessible, {.low = 0, .high = 1, .low_open = true},
               "Fraction of the nodes, rounded up, whose samples are written; the others appear in the edge file only");
  options.text("covariance", s.covariance,
               "Covariance of the features (--model point: of the noise), row by row, e.g. 2,0.5,0.5,1; one for all "
               "clusters, or one per cluster, separated by semicolons; empty: identity");
}

void declare_truth(OptionSet& options, GenerateSettings& s) {
  options.group("Truth");
  options.choice<TruthKind>(
      "truth", s.data.truth,
      {{"bernoulli", TruthKind::kBernoulli}, {"gaussian", TruthKind::kGaussian}, {"given", TruthKind::kGiven}},
      "True parameters of each cluster. bernoulli: entries 0 or 0.5; gaussian: standard normal entries; given: "
      "--truth-values");
  std::string values = "One vector per cluster, e.g. 2,2;-2,2";
  if (!s.truth_values.empty()) {
    values += "; if the default does not fit the clusters and --dimension, --truth gaussian is used";
  }
  options.text("truth-values", s.truth_values, values);
  options.real("perturbation", s.data.perturbation, Range::at_least(0),
               "Deviation of a node's truth from its cluster's: this times a standard normal vector, divided by the "
               "norm of the cluster's truth");
}

}  // namespace

OptionSet declare_generate_options(const GraphKind& kind, GenerateSettings& settings) {
  kind.set_defaults(settings);
  OptionSet options;
  options.group("Graph");
  kind.declare(options, settings);
  declare_data(options, settings);
  declare_truth(options, settings);
  options.group("Output");
  options.integer("seed", settings.seed, Range::at_least(0), "The same seed gives the same files on every machine");
  options.path("out", settings.out, "Directory for the files; written atomically")
      .required("where the files go, e.g. --out problem");
  options.flag("force", settings.force, "Replace the files of an earlier run in --out");
  return options;
}

void replace_unfit_default_truth(GenerateSettings& settings, OptionSet& options, NodeId clusters) {
  if (options.find("truth")->given || options.find("truth-values")->given) return;
  if (settings.data.truth != TruthKind::kGiven) return;
  const Result<Matrix> truths = parse_truths(settings.truth_values, settings.data.dimension);
  if (truths && truths->cols() == clusters) return;
  settings.data.truth = TruthKind::kGaussian;
  settings.truth_values.clear();
}

Result<SyntheticParameters> synthetic_parameters(GenerateSettings& settings, OptionSet& options) {
  if (settings.max_samples == 0) settings.max_samples = settings.data.min_samples;
  if (options.find("truth-values")->given) {
    if (!options.find("truth")->given) settings.data.truth = TruthKind::kGiven;
    if (settings.data.truth != TruthKind::kGiven) return usage_error("--truth-values needs --truth given");
  }
  SyntheticParameters parameters = settings.data;
  parameters.max_samples = settings.max_samples;
  if (parameters.truth == TruthKind::kGiven) {
    if (settings.truth_values.empty()) {
      return usage_error("--truth given needs --truth-values, one vector per cluster, e.g. --truth-values '2,2;-2,2'");
    }
    Result<Matrix> truths = parse_truths(settings.truth_values, parameters.dimension);
    if (!truths) return truths.error();
    parameters.truth_values = *std::move(truths);
  }
  Result<std::vector<Matrix>> covariances = parse_covariances(settings.covariance, parameters.dimension);
  if (!covariances) return covariances.error();
  parameters.covariances = *std::move(covariances);
  return parameters;
}

}  // namespace gtvmin::app
