#pragma once

#include <vector>

#include "gtvmin/graph/neighbour_search.h"
#include "gtvmin/similarity/context.h"

namespace gtvmin {

/// A symmetric sparse matrix with sum 1: row i are the entries first[i] … first[i + 1] − 1, columns ascending.
struct Affinities {
  std::vector<Index> first;
  std::vector<NodeId> column;
  std::vector<double> value;
};

/// The weights exp(−β d²), scaled to sum 1, of neighbours at these squared distances (ascending), with β such that
/// their entropy is log(perplexity), as nearly as that can be.
void conditional_affinities(const Neighbour* neighbours, Index count, double perplexity, double* weights);

/// p_ij = (p_{j|i} + p_{i|j})/2n from the nearest neighbours of every point, about three times as many as the
/// perplexity.
[[nodiscard]] Result<Affinities> neighbour_affinities(ConstMatrixRef points, double perplexity,
                                                      const SimilarityContext& context);

}  // namespace gtvmin
