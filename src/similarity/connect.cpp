#include "gtvmin/similarity/connect.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <tuple>

#include "disjoint_sets.h"
#include "foreign_neighbours.h"

namespace gtvmin {
namespace {

constexpr std::string_view kStage = "connecting";

void sort_by_ends(std::vector<NodePair>& pairs) {
  std::sort(pairs.begin(), pairs.end(),
            [](const NodePair& x, const NodePair& y) { return std::tie(x.a, x.b) < std::tie(y.a, y.b); });
}

DisjointSets components_of(NodeId nodes, const std::vector<NodePair>& edges) {
  DisjointSets sets(nodes);
  for (const NodePair& edge : edges) sets.join(edge.a, edge.b);
  return sets;
}

/// Prim's algorithm: a tree that grows by the component with the shortest way to it.
class GrowingTree {
 public:
  GrowingTree(const NodeDistances& distances, std::vector<std::vector<NodeId>> members,
              std::vector<NodeId> component_of)
      : distances_(distances),
        members_(std::move(members)),
        component_of_(std::move(component_of)),
        inside_(distances.nodes(), 0),
        shortest_(distances.nodes()),
        row_(distances.nodes()) {}

  /// Takes in a whole component; false if the observer stops.
  bool take(NodeId component, const SimilarityContext& context) {
    for (const NodeId i : members_[component]) inside_[i] = 1;
    for (const NodeId i : members_[component]) {
      distances_.ranks_from(i, row_);
      for (NodeId j = 0; j < distances_.nodes(); ++j) {
        if (inside_[j] != 0) continue;
        shortest_[j] = std::min(shortest_[j], Bridge{row_[j], std::min(i, j), std::max(i, j)});
      }
      if (!context.report({kStage, ++taken_, distances_.nodes()})) return false;
    }
    return true;
  }
  /// The node outside with the shortest bridge, or −1.
  [[nodiscard]] NodeId nearest_outside() const {
    NodeId nearest = -1;
    for (NodeId j = 0; j < distances_.nodes(); ++j) {
      if (inside_[j] != 0 || !std::isfinite(shortest_[j].squared_distance)) continue;
      if (nearest < 0 || shortest_[j] < shortest_[nearest]) nearest = j;
    }
    return nearest;
  }
  [[nodiscard]] bool contains(NodeId i) const { return inside_[i] != 0; }
  [[nodiscard]] NodeId component_of(NodeId i) const { return component_of_[i]; }
  /// The field squared_distance holds the rank here.
  [[nodiscard]] NodePair bridge_to(NodeId i) const {
    return {shortest_[i].a, shortest_[i].b, std::max(0.0, shortest_[i].squared_distance)};
  }

 private:
  const NodeDistances& distances_;
  std::vector<std::vector<NodeId>> members_;
  std::vector<NodeId> component_of_;
  std::vector<char> inside_;
  std::vector<Bridge> shortest_;
  Vector row_;
  Index taken_ = 0;
};

/// One round of Borůvka's algorithm: the shortest bridge of every component, the largest one excepted, whose many
/// points need not ask because all others do.
std::vector<Bridge> shortest_bridges(const ForeignNeighbours& tree, const std::vector<NodeId>& component_of) {
  const auto nodes = static_cast<NodeId>(component_of.size());
  std::vector<NodeId> sizes(nodes, 0);
  for (const NodeId component : component_of) ++sizes[component];
  const auto largest = static_cast<NodeId>(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
  std::vector<Bridge> best(nodes);
  for (NodeId i = 0; i < nodes; ++i) {
    if (component_of[i] != largest) tree.improve(i, best[component_of[i]]);
  }
  std::erase_if(best, [](const Bridge& bridge) { return !std::isfinite(bridge.squared_distance); });
  std::sort(best.begin(), best.end());
  return best;
}

}  // namespace

Result<std::vector<NodePair>> connecting_pairs(const NodeDistances& distances, const std::vector<NodePair>& edges,
                                               const SimilarityContext& context) {
  return distances.have_tree() ? connecting_pairs_by_tree(distances, edges, context)
                               : connecting_pairs_by_rows(distances, edges, context);
}

Result<std::vector<NodePair>> connecting_pairs_by_rows(const NodeDistances& distances,
                                                       const std::vector<NodePair>& edges,
                                                       const SimilarityContext& context) {
  const NodeId nodes = distances.nodes();
  DisjointSets sets = components_of(nodes, edges);
  std::vector<std::vector<NodeId>> members(nodes);
  std::vector<NodeId> component_of(nodes);
  for (NodeId i = 0; i < nodes; ++i) members[component_of[i] = sets.find(i)].push_back(i);

  std::vector<NodePair> pairs;
  GrowingTree tree(distances, std::move(members), std::move(component_of));
  for (NodeId root = 0; root < nodes; ++root) {
    if (tree.contains(root)) continue;
    if (!tree.take(tree.component_of(root), context)) return stopped();
    for (NodeId next = tree.nearest_outside(); next >= 0; next = tree.nearest_outside()) {
      pairs.push_back(tree.bridge_to(next));
      if (!tree.take(tree.component_of(next), context)) return stopped();
    }
  }
  sort_by_ends(pairs);
  return pairs;
}

Result<std::vector<NodePair>> connecting_pairs_by_tree(const NodeDistances& distances,
                                                       const std::vector<NodePair>& edges,
                                                       const SimilarityContext& context) {
  assert(distances.are_points());
  const NodeId nodes = distances.nodes();
  DisjointSets sets = components_of(nodes, edges);
  const NodeId at_first = sets.sets();
  std::vector<NodePair> pairs;
  if (at_first <= 1) return pairs;
  ForeignNeighbours tree(distances.search().points());
  std::vector<NodeId> component_of(nodes);
  while (sets.sets() > 1) {
    for (NodeId i = 0; i < nodes; ++i) component_of[i] = sets.find(i);
    tree.set_components(component_of);
    for (const Bridge& bridge : shortest_bridges(tree, component_of)) {
      if (sets.join(bridge.a, bridge.b)) {
        pairs.push_back({bridge.a, bridge.b, distances.told(bridge.squared_distance)});
      }
    }
    if (!context.report({kStage, at_first - sets.sets(), at_first - 1})) return stopped();
  }
  sort_by_ends(pairs);
  return pairs;
}

}  // namespace gtvmin
