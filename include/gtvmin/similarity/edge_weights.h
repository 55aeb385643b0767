#pragma once

#include <vector>

#include "gtvmin/graph/empirical_graph.h"
#include "gtvmin/similarity/node_distances.h"

namespace gtvmin {

/// How a distance becomes a weight: short ones weigh more.
struct WeightRule {
  enum class Kind {
    kExp,       ///< exp(−distance/scale)
    kInverse,   ///< 1/(1 + distance/scale)
    kBinary,    ///< 1
    kRescaled,  ///< linear from 1 at the shortest to kLeastRescaled at the longest distance; 1 if all are equal
  };
  Kind kind = Kind::kExp;
  /// > 0; kExp and kInverse.
  double scale = 1;
  /// The scale is the median of the positive distances instead (1 if there is none).
  bool median_scale = false;
};

inline constexpr double kLeastRescaled = 0.01;

struct WeighedEdges {
  /// In the order of the pairs.
  std::vector<WeightedEdge> edges;
  /// Pairs whose weight is too small for a number (< 2.2e-308): they are no edges.
  std::vector<NodePair> vanished;
  /// What was divided by; 1 where nothing was.
  double scale = 1;
};

[[nodiscard]] Result<WeighedEdges> weigh_edges(const std::vector<NodePair>& pairs, const WeightRule& rule);

}  // namespace gtvmin
