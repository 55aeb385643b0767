#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "gtvmin/base/rng.h"
#include "gtvmin/problem/dataset.h"
#include "gtvmin/similarity/context.h"

namespace gtvmin {

/// A context with its own threads and nobody who watches.
struct QuietContext {
  explicit QuietContext(int threads = 1) : team(threads) {}
  operator SimilarityContext() { return {team, {}}; }  // NOLINT(google-explicit-constructor)
  ThreadTeam team;
};

/// d × count numbers, normal with this mean and standard deviation.
inline Matrix normal_points(Index d, Index count, std::uint64_t seed, double mean = 0, double deviation = 1) {
  Rng rng(seed);
  Matrix points(d, count);
  for (double& x : points.reshaped()) x = mean + deviation * rng.normal();
  return points;
}

/// One node for each matrix of samples, called n0, n1, ….
inline Dataset dataset_of(const std::vector<Matrix>& samples) {
  Dataset dataset;
  dataset.first_sample = {0};
  for (const Matrix& of_node : samples) {
    dataset.node_names.push_back(fmt::format("n{}", dataset.node_names.size()));
    dataset.first_sample.push_back(dataset.first_sample.back() + of_node.cols());
  }
  dataset.features.resize(samples.front().rows(), dataset.first_sample.back());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    dataset.features.middleCols(dataset.first_sample[i], samples[i].cols()) = samples[i];
  }
  for (Index k = 0; k < dataset.features.rows(); ++k) dataset.feature_names.push_back(fmt::format("x{}", k));
  return dataset;
}

}  // namespace gtvmin
