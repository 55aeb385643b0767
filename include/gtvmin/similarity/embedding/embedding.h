#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gtvmin/problem/dataset.h"
#include "gtvmin/similarity/context.h"

namespace gtvmin {

/// How the samples of all nodes together become points in few dimensions before nodes are compared.
struct EmbeddingSpec {
  std::string name = "none";  ///< one of embedding_names(), or "none"
  Index dimension = 2;
  /// t-SNE: about how many neighbours a sample pays attention to.
  double perplexity = 30;
  std::uint64_t seed = 1;
};

[[nodiscard]] const std::vector<std::string>& embedding_names();
/// What a site gives away to have its samples embedded.
[[nodiscard]] std::string embedding_leaves_site(const std::string& name);

/// Replaces the features of every sample by its embedding, named e1, e2, …; "none" changes nothing. Errors name the
/// option, as graph generators do.
[[nodiscard]] Status embed_samples(Dataset& dataset, const EmbeddingSpec& spec, const SimilarityContext& context);

}  // namespace gtvmin
