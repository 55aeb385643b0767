#pragma once

#include <vector>

#include "gtvmin/similarity/node_distances.h"

namespace gtvmin {

/// Which pairs of nodes become edges.
struct EdgeRule {
  enum class Join {
    kNearest,  ///< every node and its nearest others
    kBall,     ///< all pairs within a distance
    kFull,     ///< all pairs
  };
  Join join = Join::kNearest;
  /// kNearest: how many; one of the two nodes must have the other in its list, or with `mutual` both.
  NodeId neighbours = 5;
  bool mutual = false;
  /// kBall: the distance, > 0; pairs at exactly this distance are joined.
  double epsilon = 0;
  /// Adds what connecting_pairs finds.
  bool connect = false;
};

/// Edges, sorted by (a, b) with a < b, and how many of them stand there only to connect the graph.
struct SelectedEdges {
  std::vector<NodePair> pairs;
  Index added_to_connect = 0;
};

/// More edges than this are refused before they fill the memory.
inline constexpr Index kMostEdges = 200'000'000;

/// Whether a rule makes sense for so many nodes. To be asked before a long computation.
[[nodiscard]] Status check_edge_rule(NodeId nodes, const EdgeRule& rule);

/// Equally near nodes are taken in the order of their numbers. Errors name the option, as graph generators do.
[[nodiscard]] Result<SelectedEdges> select_edges(const NodeDistances& distances, const EdgeRule& rule,
                                                 const SimilarityContext& context);

}  // namespace gtvmin
