#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gtvmin/problem/dataset.h"
#include "gtvmin/problem/model.h"
#include "gtvmin/similarity/node_distances.h"

namespace gtvmin {

/// How far apart two nodes are, and the parameters of the methods that say so.
struct SimilaritySpec {
  std::string method{};  ///< one of similarity_methods()
  /// One of the method's metrics; empty: its first.
  std::string metric{};
  /// knn-features, gaussian-kl: what is added to covariances, as a fraction of the mean variance.
  double covariance_ridge = 1e-3;
  /// kl-knn: which neighbour's distance is compared.
  NodeId kl_neighbours = 5;
  /// wasserstein: the number of random directions.
  Index projections = 100;
  /// parameters: the model that every node fits.
  ModelSpec model{};
  /// correlation: whether −1 is as near as 1, and how many common times two series need.
  bool absolute = false;
  Index overlap = 3;
  std::uint64_t seed = 1;
};

/// One method, as a user chooses it.
struct SimilarityMethod {
  std::string name;
  std::string summary;
  /// What a site has to give away.
  std::string leaves_site;
  /// Empty where there is nothing to choose.
  std::vector<std::string> metrics;
  /// Whether the samples may be embedded before.
  bool takes_embedding = false;
  bool needs_label = false;
};
/// The closed list.
[[nodiscard]] const std::vector<SimilarityMethod>& similarity_methods();
/// Null if there is none of this name.
[[nodiscard]] const SimilarityMethod* find_similarity_method(std::string_view name);

/// Whether the dataset can be compared as the spec says: at least two nodes, enough samples, no numbers whose squares
/// overflow, parameters within bounds. To be asked before a long computation.
[[nodiscard]] Status check_similarity(const Dataset& dataset, const SimilaritySpec& spec);

/// What the distances between all nodes cost, where that grows with the square of the number of nodes; otherwise
/// `pairs` is 0.
struct SimilarityCost {
  double pairs = 0;
  /// How many elementary comparisons that takes, and what one is, in the plural.
  double steps = 0;
  std::string step_name;
  double bytes = 0;
};
/// `dimension` is that of the samples when they are compared, after an embedding.
[[nodiscard]] SimilarityCost similarity_cost(const Dataset& dataset, const SimilaritySpec& spec, Index dimension);

/// The distances between the nodes of a dataset, each of which has a sample. Errors of usage name the option, as graph
/// generators do; others name the node.
[[nodiscard]] Result<NodeDistances> node_distances(const Dataset& dataset, const SimilaritySpec& spec,
                                                   const SimilarityContext& context);

}  // namespace gtvmin
