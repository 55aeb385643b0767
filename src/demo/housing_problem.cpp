#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

#include "gtvmin/base/rng.h"
#include "gtvmin/demo/sacramento.h"
#include "gtvmin/graph/generators/nearest_neighbours.h"

namespace gtvmin {
namespace {

constexpr double kEarthRadius = 6'371'000;  // metres
constexpr double kSmallestDistance = 25;    // metres; some houses stand in the same place
constexpr Index kFeatures = 3;

constexpr std::uint64_t kWithheldStream = 1;

Matrix project(const std::vector<House>& houses) {
  const auto n = static_cast<Index>(houses.size());
  Matrix degrees(2, n);
  for (Index i = 0; i < n; ++i) {
    const House& house = houses[static_cast<std::size_t>(i)];
    degrees.col(i) << house.longitude, house.latitude;
  }
  const Vector middle = degrees.rowwise().mean();
  const double metres_per_degree = kEarthRadius * std::numbers::pi / 180;
  Matrix places = (degrees.colwise() - middle) * metres_per_degree;
  places.row(0) *= std::cos(middle(1) * std::numbers::pi / 180);
  return places;
}

std::vector<WeightedEdge> inverse_distance_edges(const Matrix& places, NodeId neighbours) {
  std::vector<WeightedEdge> edges = nearest_neighbour_edges(places, neighbours);
  double sum = 0;
  for (WeightedEdge& edge : edges) {
    edge.weight = 1 / std::max(kSmallestDistance, (places.col(edge.a) - places.col(edge.b)).norm());
    sum += edge.weight;
  }
  for (WeightedEdge& edge : edges) {
    edge.weight *= static_cast<double>(edges.size()) / sum;
  }
  return edges;
}

// The samples (features, then price, as rows) of the houses with chosen[i] == wanted.
void add_samples(Dataset& dataset, const Matrix& table, const std::vector<char>& chosen, char wanted) {
  dataset.features.resize(kFeatures, std::count(chosen.begin(), chosen.end(), wanted));
  dataset.labels.resize(dataset.features.cols());
  dataset.first_sample = {0};
  for (Index i = 0; i < table.cols(); ++i) {
    Index at = dataset.first_sample.back();
    if (chosen[static_cast<std::size_t>(i)] == wanted) {
      dataset.features.col(at) = table.col(i).head(kFeatures);
      dataset.labels(at) = table(kFeatures, i);
      ++at;
    }
    dataset.first_sample.push_back(at);
  }
}

}  // namespace

HousingProblem make_housing_problem(const std::vector<House>& houses, std::int64_t withheld, std::int64_t neighbours,
                                    std::uint64_t seed) {
  const auto n = static_cast<Index>(houses.size());
  assert(withheld >= 0 && withheld + 2 <= n);
  std::vector<char> is_withheld(houses.size(), 0);
  Rng rng(seed, kWithheldStream);
  for (const std::uint64_t i : rng.choose(houses.size(), static_cast<std::uint64_t>(withheld))) {
    is_withheld[i] = 1;
  }

  HousingProblem problem;
  problem.places = project(houses);
  Matrix table(kFeatures + 1, n);
  for (Index i = 0; i < n; ++i) {
    const House& house = houses[static_cast<std::size_t>(i)];
    table.col(i) << house.beds, house.baths, house.sqft, house.price;
    problem.known.node_names.push_back(fmt::format("house-{}", i + 1));
  }
  problem.known.feature_names = {"beds", "baths", "sqft"};
  problem.known.edges = inverse_distance_edges(problem.places, static_cast<NodeId>(neighbours));
  problem.withheld = problem.known;

  // Means and deviations come from the known houses alone: nothing about the withheld prices may leak.
  add_samples(problem.known, table, is_withheld, 0);
  Matrix known(kFeatures + 1, problem.known.samples());
  known << problem.known.features, problem.known.labels.transpose();
  for (Index r = 0; r < table.rows(); ++r) {
    const double mean = known.row(r).mean();
    const double deviation = std::sqrt((known.row(r).array() - mean).square().mean());
    table.row(r) = ((table.row(r).array() - mean) / (deviation > 0 ? deviation : 1)).matrix().eval();
  }
  add_samples(problem.known, table, is_withheld, 0);
  add_samples(problem.withheld, table, is_withheld, 1);
  return problem;
}

}  // namespace gtvmin
