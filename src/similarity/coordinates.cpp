#include "gtvmin/similarity/coordinates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "error_list.h"

namespace gtvmin {
namespace {

Eigen::Vector3d unit_vector(double latitude, double longitude) {
  const double phi = latitude * std::numbers::pi / 180;
  const double theta = longitude * std::numbers::pi / 180;
  return {std::cos(phi) * std::cos(theta), std::cos(phi) * std::sin(theta), std::sin(phi)};
}

}  // namespace

double arc_kilometres(double chord) { return 2 * kEarthRadiusKilometres * std::asin(std::min(1.0, chord / 2)); }

double chord_of_kilometres(double arc) {
  const double half_angle = arc / (2 * kEarthRadiusKilometres);
  return half_angle >= std::numbers::pi / 2 ? 2 : 2 * std::sin(half_angle);
}

NodeDistances distances_between_means(const Dataset& dataset) {
  Matrix means(dataset.features.rows(), dataset.nodes());
  for (NodeId i = 0; i < dataset.nodes(); ++i) {
    means.col(i) = dataset.features.middleCols(dataset.first_sample[i], dataset.samples_of(i)).rowwise().mean();
  }
  return NodeDistances::between_points(std::move(means));
}

Result<NodeDistances> distances_on_earth(const Dataset& dataset) {
  if (dataset.features.rows() != 2) {
    return usage_error(
        fmt::format("metric: haversine needs two columns, latitude and longitude, not {}; name them by "
                    "--features latitude,longitude",
                    dataset.features.rows()));
  }
  ErrorList errors;
  Matrix points = Matrix::Zero(3, dataset.nodes());
  for (NodeId i = 0; i < dataset.nodes(); ++i) {
    for (Index r = dataset.first_sample[i]; r < dataset.first_sample[i + 1]; ++r) {
      const double latitude = dataset.features(0, r);
      const double longitude = dataset.features(1, r);
      if (std::abs(latitude) > 90) {
        errors.add(fmt::format("node '{}': latitude {} is outside -90 to 90", dataset.node_names[i], latitude));
      }
      if (!(longitude >= -180 && longitude <= 360)) {
        errors.add(fmt::format("node '{}': longitude {} is outside -180 to 360", dataset.node_names[i], longitude));
      }
      points.col(i) += unit_vector(latitude, longitude);
    }
    const double length = points.col(i).norm() / static_cast<double>(dataset.samples_of(i));
    if (length < 1e-6) {
      errors.add(fmt::format("node '{}': its places lie on opposite sides of the earth and have no mean",
                             dataset.node_names[i]));
    }
    points.col(i).normalize();
  }
  if (!errors.empty()) return errors.take();
  return NodeDistances::between_points(std::move(points), NodeDistances::Scale::kKilometres);
}

}  // namespace gtvmin
