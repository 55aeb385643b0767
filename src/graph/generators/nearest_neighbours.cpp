#include "gtvmin/graph/generators/nearest_neighbours.h"

#include <algorithm>
#include <tuple>

#include "gtvmin/graph/neighbour_search.h"

namespace gtvmin {
namespace {

bool by_ends(const WeightedEdge& x, const WeightedEdge& y) { return std::tie(x.a, x.b) < std::tie(y.a, y.b); }
bool same_ends(const WeightedEdge& x, const WeightedEdge& y) { return x.a == y.a && x.b == y.b; }

}  // namespace

std::vector<WeightedEdge> nearest_neighbour_edges(ConstMatrixRef points, NodeId k) {
  const auto count = static_cast<NodeId>(points.cols());
  k = std::min(k, count - 1);
  std::vector<WeightedEdge> edges;
  if (k < 1) return edges;

  const NeighbourSearch search(points);
  std::vector<Neighbour> nearest(static_cast<std::size_t>(k));
  for (NodeId i = 0; i < count; ++i) {
    search.nearest_others(i, i + 1, k, nearest);
    for (const Neighbour& found : nearest) {
      edges.push_back({std::min(i, found.point), std::max(i, found.point), 1.0});
    }
  }
  std::sort(edges.begin(), edges.end(), by_ends);
  edges.erase(std::unique(edges.begin(), edges.end(), same_ends), edges.end());
  return edges;
}

}  // namespace gtvmin
