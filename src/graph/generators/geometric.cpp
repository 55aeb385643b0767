#include "gtvmin/graph/generators/geometric.h"

#include <fmt/format.h>

#include <limits>

#include "gtvmin/base/rng.h"
#include "gtvmin/graph/generators/nearest_neighbours.h"
#include "streams.h"

namespace gtvmin {
namespace {

Status check(const GeometricParameters& p) {
  if (p.nodes < 2) return usage_error(fmt::format("nodes: {} is not ≥ 2", p.nodes));
  if (p.neighbours < 1 || p.neighbours >= p.nodes) {
    return usage_error(fmt::format("neighbours: {} is not between 1 and nodes − 1", p.neighbours));
  }
  if (std::int64_t{p.nodes} * p.neighbours > std::numeric_limits<EdgeId>::max()) {
    return usage_error(fmt::format("neighbours: {} for each of {} nodes are too many edges", p.neighbours, p.nodes));
  }
  if (p.clusters < 1 || p.clusters > p.nodes) {
    return usage_error(fmt::format("clusters: {} is not between 1 and nodes", p.clusters));
  }
  return Unit{};
}

Partition voronoi_cells(ConstMatrixRef points, NodeId cells, std::uint64_t seed) {
  Rng rng(seed, static_cast<std::uint64_t>(GraphStream::kClusterSeeds));
  const auto centres = rng.choose(static_cast<std::uint64_t>(points.cols()), static_cast<std::uint64_t>(cells));
  std::vector<NodeId> cell_of;
  for (Index i = 0; i < points.cols(); ++i) {
    NodeId best = 0;
    double best_distance = std::numeric_limits<double>::infinity();
    for (NodeId c = 0; c < cells; ++c) {
      const auto centre = static_cast<Index>(centres[c]);
      const double dx = points(0, i) - points(0, centre);
      const double dy = points(1, i) - points(1, centre);
      const double distance = dx * dx + dy * dy;
      if (distance < best_distance) {
        best_distance = distance;
        best = c;
      }
    }
    cell_of.push_back(best);
  }
  return partition_by_label(cell_of);
}

}  // namespace

Result<GeneratedGraph> geometric_graph(const GeometricParameters& parameters, std::uint64_t seed) {
  if (const Status checked = check(parameters); !checked) return checked.error();
  Rng rng(seed, static_cast<std::uint64_t>(GraphStream::kPoints));
  Matrix points(2, parameters.nodes);
  for (double& coordinate : points.reshaped()) coordinate = rng.uniform();
  return GeneratedGraph{nearest_neighbour_edges(points, parameters.neighbours),
                        voronoi_cells(points, parameters.clusters, seed)};
}

}  // namespace gtvmin
