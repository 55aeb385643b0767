#include "gtvmin/similarity/similarity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "error_list.h"
#include "gtvmin/similarity/coordinates.h"
#include "gtvmin/similarity/correlation.h"
#include "gtvmin/similarity/gaussian.h"
#include "gtvmin/similarity/kl_knn.h"
#include "gtvmin/similarity/local_parameters.h"
#include "gtvmin/similarity/sliced_wasserstein.h"

namespace gtvmin {
namespace {

using Distances = Result<NodeDistances>;

// Squares of larger numbers may overflow once they are added up.
constexpr double kLargest = 1e150;

Distances knn_coordinates(const Dataset& dataset, const SimilaritySpec& spec, const SimilarityContext& /*context*/) {
  if (spec.metric == "haversine") return distances_on_earth(dataset);
  return distances_between_means(dataset);
}

Distances knn_features(const Dataset& dataset, const SimilaritySpec& spec, const SimilarityContext& context) {
  if (spec.metric == "gaussian-kl") return divergences_between_gaussians(dataset, spec.covariance_ridge, context);
  if (spec.metric == "euclidean") return distances_between_means(dataset);
  return wasserstein_between_gaussians(dataset, context);
}

Distances kl_knn(const Dataset& dataset, const SimilaritySpec& spec, const SimilarityContext& context) {
  return knn_divergences(dataset, spec.kl_neighbours, context);
}

Distances wasserstein(const Dataset& dataset, const SimilaritySpec& spec, const SimilarityContext& context) {
  return sliced_wasserstein_distances(dataset, spec.projections, spec.seed, context);
}

Distances parameters(const Dataset& dataset, const SimilaritySpec& spec, const SimilarityContext& context) {
  return distances_between_parameters(dataset, spec.model, context);
}

Distances correlation(const Dataset& dataset, const SimilaritySpec& spec, const SimilarityContext& context) {
  if (dataset.features.rows() != 2) return usage_error("features: a time series has two columns, time and value");
  return correlation_distances(dataset, spec.absolute, spec.overlap, context);
}

/// A method and how it is computed; in the order in which they are offered.
struct Entry {
  SimilarityMethod method;
  Distances (*distances)(const Dataset& dataset, const SimilaritySpec& spec, const SimilarityContext& context);
};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> list = {
      {{"knn-coordinates",
        "distance between places",
        "one point: the mean of its coordinates",
        {"euclidean", "haversine"},
        false,
        false},
       &knn_coordinates},
      {{"knn-features",
        "distance between the means and covariances of the samples",
        "the mean and the covariance of its samples (euclidean: the mean alone)",
        {"gaussian-wasserstein", "gaussian-kl", "euclidean"},
        true,
        false},
       &knn_features},
      {{"kl-knn", "divergence between samples, by nearest neighbours", "its samples", {}, true, false}, &kl_knn},
      {{"wasserstein",
        "sliced Wasserstein distance between samples",
        "its samples, projected on --projections random directions",
        {},
        true,
        false},
       &wasserstein},
      {{"parameters",
        "distance between models that every node fits alone",
        "the parameters of its own model",
        {"euclidean"},
        true,
        true},
       &parameters},
      {{"correlation", "1 − correlation between time series", "its time series", {}, false, false}, &correlation},
  };
  return list;
}

/// What is wrong with single nodes.
Status check_nodes(const Dataset& dataset, const SimilaritySpec& spec) {
  ErrorList errors;
  for (NodeId i = 0; i < dataset.nodes(); ++i) {
    const auto samples = dataset.features.middleCols(dataset.first_sample[i], dataset.samples_of(i));
    if (samples.cols() == 0) errors.add(fmt::format("node '{}' has no samples", dataset.node_names[i]));
    if (samples.cols() > 0 && !(samples.cwiseAbs().maxCoeff() <= kLargest)) {
      errors.add(
          fmt::format("node '{}' has numbers beyond {:g}, whose distances overflow", dataset.node_names[i], kLargest));
    }
  }
  if (!errors.empty() || spec.method != "kl-knn") return errors.empty() ? Status(Unit{}) : Status(errors.take());
  for (NodeId i = 0; i < dataset.nodes(); ++i) {
    const Index samples = dataset.samples_of(i);
    if (samples > spec.kl_neighbours) continue;
    errors.add(fmt::format("node '{}' has {} {}; kl-knn with --kl-neighbours {} needs at least {}",
                           dataset.node_names[i], samples, samples == 1 ? "sample" : "samples", spec.kl_neighbours,
                           spec.kl_neighbours + 1));
  }
  return errors.empty() ? Status(Unit{}) : Status(errors.take());
}

/// Σ over pairs of nodes of the product of their numbers of samples.
double pairs_of_samples(const Dataset& dataset) {
  double sum = 0;
  double squares = 0;
  for (NodeId i = 0; i < dataset.nodes(); ++i) {
    const auto samples = static_cast<double>(dataset.samples_of(i));
    sum += samples;
    squares += samples * samples;
  }
  return (sum * sum - squares) / 2;
}

bool are_points_in_few_dimensions(const SimilaritySpec& spec, const std::string& metric, Index dimension) {
  const bool points = spec.method == "knn-coordinates" || spec.method == "parameters" || metric == "euclidean";
  return points && NeighbourSearch::uses_tree(dimension);
}

std::string metric_of(const SimilaritySpec& spec) {
  const SimilarityMethod* method = find_similarity_method(spec.method);
  if (!spec.metric.empty() || method == nullptr || method->metrics.empty()) return spec.metric;
  return method->metrics.front();
}

}  // namespace

const std::vector<SimilarityMethod>& similarity_methods() {
  static const std::vector<SimilarityMethod> methods = [] {
    std::vector<SimilarityMethod> list;
    for (const Entry& entry : entries()) list.push_back(entry.method);
    return list;
  }();
  return methods;
}

const SimilarityMethod* find_similarity_method(std::string_view name) {
  const auto& methods = similarity_methods();
  const auto found = std::find_if(methods.begin(), methods.end(), [&](const auto& m) { return m.name == name; });
  return found == methods.end() ? nullptr : &*found;
}

Status check_similarity(const Dataset& dataset, const SimilaritySpec& spec) {
  const SimilarityMethod* method = find_similarity_method(spec.method);
  if (method == nullptr) {
    std::vector<std::string> names;
    for (const SimilarityMethod& known : similarity_methods()) names.push_back(known.name);
    return usage_error(fmt::format("method: unknown method '{}'; there are {}", spec.method, fmt::join(names, ", ")));
  }
  if (!spec.metric.empty() &&
      std::find(method->metrics.begin(), method->metrics.end(), spec.metric) == method->metrics.end()) {
    return usage_error(
        fmt::format("metric: '{}' does not fit the method {}, which {}", spec.metric, spec.method,
                    method->metrics.empty() ? "has none" : fmt::format("has {}", fmt::join(method->metrics, ", "))));
  }
  if (spec.kl_neighbours < 1) return usage_error(fmt::format("kl-neighbours: {} is not ≥ 1", spec.kl_neighbours));
  if (spec.projections < 1) return usage_error(fmt::format("projections: {} is not ≥ 1", spec.projections));
  if (spec.overlap < 2) return usage_error(fmt::format("overlap: {} is not ≥ 2", spec.overlap));
  if (!(std::isfinite(spec.covariance_ridge) && spec.covariance_ridge > 0)) {
    return usage_error(fmt::format("covariance-ridge: {} is not a number > 0", spec.covariance_ridge));
  }
  if (dataset.nodes() < 2) {
    return bad_input(fmt::format("a graph needs at least two nodes; there {}",
                                 dataset.nodes() == 1 ? "is only '" + dataset.node_names[0] + "'" : "is none"));
  }
  if (dataset.features.rows() == 0) return bad_input("there are no features to compare nodes by");
  return check_nodes(dataset, spec);
}

SimilarityCost similarity_cost(const Dataset& dataset, const SimilaritySpec& spec, Index dimension) {
  const std::string metric = metric_of(spec);
  SimilarityCost cost;
  if (are_points_in_few_dimensions(spec, metric, dimension)) return cost;
  const double n = dataset.nodes();
  const auto d = static_cast<double>(dimension);
  cost.pairs = n * (n - 1) / 2;
  cost.bytes = 8 * n * n;
  cost.steps = cost.pairs;
  cost.step_name = "distances between vectors";
  if (spec.method == "kl-knn") {
    const bool tree = NeighbourSearch::uses_tree(dimension);
    cost.steps = tree ? static_cast<double>(dataset.samples()) * (n - 1) : 2 * pairs_of_samples(dataset);
    cost.step_name = tree ? "searches for nearest samples" : "distances between samples";
  } else if (spec.method == "wasserstein") {
    cost.steps = cost.pairs * static_cast<double>(spec.projections);
    cost.step_name = "comparisons of sorted samples";
    cost.bytes += 8 * static_cast<double>(dataset.samples()) * static_cast<double>(spec.projections);
  } else if (spec.method == "correlation") {
    cost.step_name = "correlations";
  } else if (metric == "gaussian-wasserstein" || metric == "gaussian-kl") {
    cost.step_name = fmt::format("distances between {0} × {0} covariances", dimension);
    cost.bytes += 2 * 8 * n * d * d;
  } else {
    cost.steps = n * n;  // points: each looks at all, and nothing is stored
    cost.bytes = 0;
  }
  return cost;
}

Result<NodeDistances> node_distances(const Dataset& dataset, const SimilaritySpec& spec,
                                     const SimilarityContext& context) {
  if (const Status checked = check_similarity(dataset, spec); !checked) return checked.error();
  SimilaritySpec complete = spec;
  complete.metric = metric_of(spec);
  for (const Entry& entry : entries()) {
    if (entry.method.name == spec.method) return entry.distances(dataset, complete, context);
  }
  return usage_error("method: unknown method");  // check has refused it
}

}  // namespace gtvmin
