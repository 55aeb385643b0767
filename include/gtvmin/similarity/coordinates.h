#pragma once

#include "gtvmin/problem/dataset.h"
#include "gtvmin/similarity/node_distances.h"

namespace gtvmin {

inline constexpr double kEarthRadiusKilometres = 6371.0088;  // the mean radius of the IUGG

/// The way along the earth's surface between points whose straight distance, through a sphere of radius 1, is `chord`;
/// and the other way round.
[[nodiscard]] double arc_kilometres(double chord);
[[nodiscard]] double chord_of_kilometres(double arc);

/// Nodes as points: the mean of a node's rows. Leaves a site: one point.
[[nodiscard]] NodeDistances distances_between_means(const Dataset& dataset);

/// Nodes as places on the earth, from two features: latitude and longitude in degrees. The place of a node is the mean
/// of the unit vectors of its rows, so that nothing happens at the date line. Fails on a latitude outside −90 … 90, a
/// longitude outside −180 … 360, and rows of a node that cancel out. Leaves a site: one place.
[[nodiscard]] Result<NodeDistances> distances_on_earth(const Dataset& dataset);

}  // namespace gtvmin
