#pragma once

#include <cstdint>
#include <vector>

#include "gtvmin/base/result.h"
#include "gtvmin/base/types.h"
#include "gtvmin/graph/generators/generated_graph.h"
#include "gtvmin/problem/dataset.h"

namespace gtvmin {

/// How samples come from the true parameters w̄ of their node, with ε standard normal and x ~ N(0, C):
enum class SyntheticModel {
  kLinear,    ///< y = w̄ᵀx + σε
  kLogistic,  ///< y ∈ {0, 1}, 1 with probability 1/(1 + exp(−(w̄ᵀx + σε)))
  kPoint      ///< x = w̄ + σε with ε ~ N(0, C), no label
};

enum class TruthKind {
  kBernoulli,  ///< every entry is 0 or 0.5, with probability ½ each
  kGaussian,   ///< every entry is standard normal
  kGiven       ///< SyntheticParameters::truth_values
};

/// Whether every sample has noise of its own (the paper as written) or all samples of a node share one draw.
enum class NoisePer { kSample, kNode };

struct SyntheticParameters {
  SyntheticModel model = SyntheticModel::kLinear;
  Index dimension = 2;
  /// Every node has between min_samples and max_samples samples, each number equally likely.
  std::int64_t min_samples = 5;
  std::int64_t max_samples = 5;
  double noise = 0;  ///< σ
  NoisePer noise_per = NoisePer::kSample;
  /// ρ: samples are kept of ⌈ρ·nodes⌉ nodes, chosen uniformly.
  double accessible = 1;
  /// The parameters of the clusters.
  TruthKind truth = TruthKind::kGaussian;
  /// dimension × clusters; for kGiven.
  Matrix truth_values{};
  /// C: none for the identity, one for all clusters, or one per cluster; dimension × dimension, positive semidefinite.
  std::vector<Matrix> covariances{};
  /// The truth of node i in cluster c is w̄ᶜ + perturbation·εᵢ/‖w̄ᶜ‖, εᵢ standard normal.
  double perturbation = 0;
};

struct SyntheticData {
  /// Node i of the graph is node i here and is called by its number; features are x1, x2, …
  Dataset dataset;
  /// dimension × nodes.
  Matrix truth;
  Partition clusters;
};

/// Data on a graph, a function of parameters and seed alone with the same bits on every machine. Every purpose, and
/// within it every node, has random numbers of its own: σ does not change the features, ρ does not change the samples
/// of the nodes that keep theirs. Errors are of kind kUsage and start with the parameter's name as the command spells
/// it.
[[nodiscard]] Result<SyntheticData> make_synthetic_data(const GeneratedGraph& graph,
                                                        const SyntheticParameters& parameters, std::uint64_t seed);

}  // namespace gtvmin
