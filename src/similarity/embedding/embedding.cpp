#include "gtvmin/similarity/embedding/embedding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "gtvmin/similarity/embedding/pca.h"
#include "gtvmin/similarity/embedding/random_projection.h"
#include "gtvmin/similarity/embedding/tsne.h"

namespace gtvmin {
namespace {

struct Embedding {
  const char* name;
  const char* leaves_site;
  Result<Matrix> (*make)(ConstMatrixRef points, const EmbeddingSpec& spec, const SimilarityContext& context);
};

Result<Matrix> make_tsne(ConstMatrixRef points, const EmbeddingSpec& spec, const SimilarityContext& context) {
  return tsne(points, {.dimension = spec.dimension, .perplexity = spec.perplexity, .seed = spec.seed}, context);
}

Result<Matrix> make_pca(ConstMatrixRef points, const EmbeddingSpec& spec, const SimilarityContext& /*context*/) {
  const Index most = std::min(points.rows(), points.cols());
  if (spec.dimension > most) {
    return usage_error(
        fmt::format("embed-dimension: {} is more than the {} directions there are", spec.dimension, most));
  }
  return principal_components(points, spec.dimension);
}

Result<Matrix> make_projection(ConstMatrixRef points, const EmbeddingSpec& spec, const SimilarityContext& /*context*/) {
  return random_projection(points, spec.dimension, spec.seed);
}

constexpr Embedding kEmbeddings[] = {
    {"tsne", "every sample: all must be in one place", &make_tsne},
    {"pca", "the mean and covariance of its samples", &make_pca},
    {"random-projection", "nothing", &make_projection},
};

const Embedding* find_embedding(const std::string& name) {
  const auto* found =
      std::find_if(std::begin(kEmbeddings), std::end(kEmbeddings), [&](const Embedding& e) { return e.name == name; });
  return found == std::end(kEmbeddings) ? nullptr : found;
}

}  // namespace

const std::vector<std::string>& embedding_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Embedding& embedding : kEmbeddings) list.emplace_back(embedding.name);
    return list;
  }();
  return names;
}

std::string embedding_leaves_site(const std::string& name) {
  const Embedding* embedding = find_embedding(name);
  return embedding == nullptr ? std::string() : embedding->leaves_site;
}

Status embed_samples(Dataset& dataset, const EmbeddingSpec& spec, const SimilarityContext& context) {
  if (spec.name == "none") return Unit{};
  const Embedding* embedding = find_embedding(spec.name);
  if (embedding == nullptr) {
    return usage_error(
        fmt::format("embed: unknown embedding '{}'; there are {}", spec.name, fmt::join(embedding_names(), ", ")));
  }
  if (spec.dimension < 1) return usage_error(fmt::format("embed-dimension: {} is not ≥ 1", spec.dimension));
  if ((dataset.features.colwise() - dataset.features.col(0)).isZero(0)) {
    return bad_input("all samples have the same features: nothing to embed");
  }
  Result<Matrix> embedded = embedding->make(dataset.features, spec, context);
  if (!embedded) return embedded.error();
  dataset.features = *std::move(embedded);
  dataset.feature_names.clear();
  for (Index k = 1; k <= spec.dimension; ++k) dataset.feature_names.push_back(fmt::format("e{}", k));
  return Unit{};
}

}  // namespace gtvmin
