#include "gtvmin/synthetic/synthetic_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "covariance.h"
#include "gtvmin/base/portable_math.h"
#include "streams.h"
#include "truth.h"

namespace gtvmin {
namespace {

Status check(const SyntheticParameters& p, NodeId nodes) {
  if (p.dimension < 1) return usage_error(fmt::format("dimension: {} is not ≥ 1", p.dimension));
  if (p.min_samples < 1) return usage_error(fmt::format("samples: {} is not ≥ 1", p.min_samples));
  if (p.max_samples < p.min_samples) {
    return usage_error(fmt::format("max-samples: {} is less than samples = {}", p.max_samples, p.min_samples));
  }
  constexpr double kLimit = 1e12;
  if (static_cast<double>(p.dimension) * static_cast<double>(p.max_samples) * nodes > kLimit) {
    return usage_error("samples: more than 1e12 numbers in all");
  }
  if (!std::isfinite(p.noise) || p.noise < 0) return usage_error(fmt::format("noise: {} is not ≥ 0", p.noise));
  if (!(p.accessible > 0 && p.accessible <= 1)) {
    return usage_error(fmt::format("accessible: {} is not in (0, 1]", p.accessible));
  }
  if (!std::isfinite(p.perturbation) || p.perturbation < 0) {
    return usage_error(fmt::format("perturbation: {} is not ≥ 0", p.perturbation));
  }
  return Unit{};
}

/// One distribution of the features for each cluster.
Result<std::vector<CorrelatedNormal>> feature_distributions(const SyntheticParameters& p, NodeId clusters) {
  if (p.covariances.size() > 1 && p.covariances.size() != static_cast<std::size_t>(clusters)) {
    return usage_error(fmt::format("covariance: {} matrices for {} clusters", p.covariances.size(), clusters));
  }
  if (p.covariances.empty()) return std::vector<CorrelatedNormal>(clusters, CorrelatedNormal(p.dimension));
  std::vector<CorrelatedNormal> distributions;
  for (const Matrix& covariance : p.covariances) {
    Result<CorrelatedNormal> made = CorrelatedNormal::make(p.dimension, covariance);
    if (!made) return made.error();
    distributions.push_back(*std::move(made));
  }
  if (distributions.size() == 1) distributions.resize(clusters, distributions.front());
  return distributions;
}

std::vector<char> choose_accessible(NodeId nodes, double fraction, std::uint64_t seed) {
  // 0.07·100 is a little more than 7 in floating point; ⌈0.07·100⌉ must still be 7.
  const double count = std::ceil(fraction * nodes - 1e-9);
  Rng rng = stream_of(DataStream::kAccess, 0, seed);
  std::vector<char> accessible(nodes, 0);
  const auto chosen = rng.choose(static_cast<std::uint64_t>(nodes), static_cast<std::uint64_t>(std::max(1.0, count)));
  for (const std::uint64_t i : chosen) accessible[i] = 1;
  return accessible;
}

std::int64_t sample_count(const SyntheticParameters& p, NodeId node, std::uint64_t seed) {
  Rng rng = stream_of(DataStream::kSampleCount, node, seed);
  const auto choices = static_cast<std::uint64_t>(p.max_samples - p.min_samples) + 1;
  return p.min_samples + static_cast<std::int64_t>(rng.below(choices));
}

/// Where the samples of one node go; label is empty for the point model.
struct NodeSamples {
  MatrixRef features;
  VectorRef labels;
};

double score(ConstVectorRef w, ConstVectorRef x) {
  double sum = 0;
  for (Index k = 0; k < w.size(); ++k) sum += w[k] * x[k];
  return sum;
}

void draw_points(const SyntheticParameters& p, const CorrelatedNormal& distribution, ConstVectorRef truth, Rng noise,
                 NodeSamples samples) {
  Vector deviation(p.dimension);
  for (Index r = 0; r < samples.features.cols(); ++r) {
    if (r == 0 || p.noise_per == NoisePer::kSample) distribution.draw(noise, deviation);
    for (Index k = 0; k < p.dimension; ++k) samples.features(k, r) = truth[k] + p.noise * deviation[k];
  }
}

void draw_labelled(const SyntheticParameters& p, const CorrelatedNormal& distribution, ConstVectorRef truth,
                   NodeId node, std::uint64_t seed, NodeSamples samples) {
  Rng features = stream_of(DataStream::kFeatures, node, seed);
  Rng noise = stream_of(DataStream::kNoise, node, seed);
  Rng labels = stream_of(DataStream::kLabels, node, seed);
  double epsilon = 0;
  for (Index r = 0; r < samples.features.cols(); ++r) {
    distribution.draw(features, samples.features.col(r));
    if (r == 0 || p.noise_per == NoisePer::kSample) epsilon = noise.normal();
    const double noisy_score = score(truth, samples.features.col(r)) + p.noise * epsilon;
    if (p.model == SyntheticModel::kLinear) {
      samples.labels[r] = noisy_score;
    } else {
      samples.labels[r] = labels.uniform() < 1 / (1 + portable_exp(-noisy_score)) ? 1 : 0;
    }
  }
}

}  // namespace

Result<SyntheticData> make_synthetic_data(const GeneratedGraph& graph, const SyntheticParameters& parameters,
                                          std::uint64_t seed) {
  const NodeId nodes = graph.nodes();
  if (const Status checked = check(parameters, nodes); !checked) return checked.error();
  const auto distributions = feature_distributions(parameters, graph.clusters.groups);
  if (!distributions) return distributions.error();
  Result<Matrix> truth = draw_truth(graph.clusters, parameters, seed);
  if (!truth) return truth.error();

  SyntheticData data{{}, *std::move(truth), graph.clusters};
  Dataset& dataset = data.dataset;
  dataset.edges = graph.edges;
  for (NodeId i = 0; i < nodes; ++i) dataset.node_names.push_back(std::to_string(i));
  for (Index k = 1; k <= parameters.dimension; ++k) dataset.feature_names.push_back(fmt::format("x{}", k));

  const std::vector<char> accessible = choose_accessible(nodes, parameters.accessible, seed);
  dataset.first_sample.assign(1, 0);
  for (NodeId i = 0; i < nodes; ++i) {
    const Index count = accessible[i] != 0 ? sample_count(parameters, i, seed) : 0;
    dataset.first_sample.push_back(dataset.first_sample.back() + count);
  }
  const bool labelled = parameters.model != SyntheticModel::kPoint;
  dataset.features.resize(parameters.dimension, dataset.first_sample.back());
  dataset.labels.resize(labelled ? dataset.samples() : 0);
  for (NodeId i = 0; i < nodes; ++i) {
    const Index first = dataset.first_sample[i];
    const Index count = dataset.samples_of(i);
    const NodeSamples samples{dataset.features.middleCols(first, count),
                              dataset.labels.segment(labelled ? first : 0, labelled ? count : 0)};
    const CorrelatedNormal& distribution = (*distributions)[graph.clusters.group_of[i]];
    if (labelled) {
      draw_labelled(parameters, distribution, data.truth.col(i), i, seed, samples);
    } else {
      draw_points(parameters, distribution, data.truth.col(i), stream_of(DataStream::kNoise, i, seed), samples);
    }
  }
  return data;
}

}  // namespace gtvmin
