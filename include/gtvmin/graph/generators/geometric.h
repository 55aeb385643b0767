#pragma once

#include <cstdint>

#include "gtvmin/graph/generators/generated_graph.h"

namespace gtvmin {

struct GeometricParameters {
  NodeId nodes = 1000;
  NodeId neighbours = 5;
  NodeId clusters = 4;
};

/// Uniform points in the unit square, each joined to its nearest neighbours (nearest_neighbour_edges), every weight 1.
/// The clusters are the Voronoi cells of `clusters` points drawn among them.
[[nodiscard]] Result<GeneratedGraph> geometric_graph(const GeometricParameters& parameters, std::uint64_t seed);

}  // namespace gtvmin
