#pragma once

#include <vector>

#include "gtvmin/similarity/node_distances.h"

namespace gtvmin {

/// The pairs that make the graph with these edges connected: as few as possible, and among those the shortest in sum,
/// i.e. a minimum spanning tree of the components. Equal distances are told apart by the pair (a, b), so that there is
/// one answer. Without edges it is the minimum spanning tree of all nodes. Nodes that only distances +∞ separate stay
/// separate. Sorted, a < b.
///
/// Points in few dimensions: about n log n by a kd-tree (Borůvka). Otherwise n²/2 distances, n numbers of memory
/// (Prim).
[[nodiscard]] Result<std::vector<NodePair>> connecting_pairs(const NodeDistances& distances,
                                                             const std::vector<NodePair>& edges,
                                                             const SimilarityContext& context);

/// The two ways, of which connecting_pairs takes the faster. The tree is for points only.
[[nodiscard]] Result<std::vector<NodePair>> connecting_pairs_by_rows(const NodeDistances& distances,
                                                                     const std::vector<NodePair>& edges,
                                                                     const SimilarityContext& context);
[[nodiscard]] Result<std::vector<NodePair>> connecting_pairs_by_tree(const NodeDistances& distances,
                                                                     const std::vector<NodePair>& edges,
                                                                     const SimilarityContext& context);

}  // namespace gtvmin
