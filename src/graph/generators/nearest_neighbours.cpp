#include "gtvmin/graph/generators/nearest_neighbours.h"

#include <algorithm>
#include <nanoflann.hpp>
#include <tuple>

namespace gtvmin {
namespace {

/// The points as nanoflann wants to see them.
struct PointCloud {
  ConstMatrixRef points;

  [[nodiscard]] std::size_t kdtree_get_point_count() const { return static_cast<std::size_t>(points.cols()); }
  [[nodiscard]] double kdtree_get_pt(std::size_t i, std::size_t k) const {
    return points(static_cast<Index>(k), static_cast<Index>(i));
  }
  template <class Box>
  bool kdtree_get_bbox(Box& /*box*/) const {
    return false;
  }
};

using Tree =
    nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<double, PointCloud>, PointCloud, -1, NodeId>;

bool by_ends(const WeightedEdge& x, const WeightedEdge& y) { return std::tie(x.a, x.b) < std::tie(y.a, y.b); }
bool same_ends(const WeightedEdge& x, const WeightedEdge& y) { return x.a == y.a && x.b == y.b; }

}  // namespace

std::vector<WeightedEdge> nearest_neighbour_edges(ConstMatrixRef points, NodeId k) {
  const auto count = static_cast<NodeId>(points.cols());
  k = std::min(k, count - 1);
  std::vector<WeightedEdge> edges;
  if (k < 1) return edges;

  const PointCloud cloud{points};
  const Tree tree(static_cast<int>(points.rows()), cloud);
  // One more than k, for the point itself.
  std::vector<NodeId> nearest(static_cast<std::size_t>(k) + 1);
  std::vector<double> distances(nearest.size());
  for (NodeId i = 0; i < count; ++i) {
    tree.knnSearch(points.col(i).data(), nearest.size(), nearest.data(), distances.data());
    // Among equal points, i need not be in the list.
    const auto self = std::find(nearest.begin(), nearest.end(), i);
    const auto skip = self == nearest.end() ? nearest.end() - 1 : self;
    for (auto j = nearest.begin(); j != nearest.end(); ++j) {
      if (j != skip) edges.push_back({std::min(i, *j), std::max(i, *j), 1.0});
    }
  }
  std::sort(edges.begin(), edges.end(), by_ends);
  edges.erase(std::unique(edges.begin(), edges.end(), same_ends), edges.end());
  return edges;
}

}  // namespace gtvmin
