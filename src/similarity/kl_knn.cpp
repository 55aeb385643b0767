#include "gtvmin/similarity/kl_knn.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gtvmin {
namespace {

/// The squared distance of every query to its k-th nearest neighbour.
Vector last_of_lists(const std::vector<Neighbour>& lists, Index k) {
  Vector last(static_cast<Index>(lists.size()) / k);
  for (Index q = 0; q < last.size(); ++q) last[q] = lists[q * k + k - 1].squared_distance;
  return last;
}

Vector within_node(const NeighbourSearch& p, NodeId k) {
  std::vector<Neighbour> lists(p.size() * k);
  p.nearest_others(0, p.size(), k, lists);
  return last_of_lists(lists, k);
}

Vector to_node(const NeighbourSearch& from, const NeighbourSearch& to, NodeId k) {
  std::vector<Neighbour> lists(from.size() * k);
  to.nearest(from.points(), k, lists);
  return last_of_lists(lists, k);
}

double smallest_positive(const Vector& squared) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const double x : squared) {
    if (x > 0) smallest = std::min(smallest, x);
  }
  return smallest;
}

double estimate(const Vector& rho2, const Vector& nu2, Index m, Index d, double floor2) {
  const auto n = static_cast<double>(rho2.size());
  double sum = 0;
  if (std::isfinite(floor2)) {
    for (Index x = 0; x < rho2.size(); ++x) {
      sum += std::log(std::max(nu2[x], floor2)) - std::log(std::max(rho2[x], floor2));
    }
  }
  // Half a logarithm: the distances are squared.
  return static_cast<double>(d) / n * sum / 2 + std::log(static_cast<double>(m) / (n - 1));
}

double symmetric_estimate(const NeighbourSearch& p, const Vector& p_rho2, const NeighbourSearch& q,
                          const Vector& q_rho2, NodeId k) {
  const Vector p_nu2 = to_node(p, q, k);
  const Vector q_nu2 = to_node(q, p, k);
  const double floor2 = std::min(
      {smallest_positive(p_rho2), smallest_positive(q_rho2), smallest_positive(p_nu2), smallest_positive(q_nu2)});
  const Index d = p.points().rows();
  return (estimate(p_rho2, p_nu2, q.size(), d, floor2) + estimate(q_rho2, q_nu2, p.size(), d, floor2)) / 2;
}

}  // namespace

double knn_divergence(const NeighbourSearch& p, const NeighbourSearch& q, NodeId k) {
  const Vector rho2 = within_node(p, k);
  const Vector nu2 = to_node(p, q, k);
  const double floor2 = std::min(smallest_positive(rho2), smallest_positive(nu2));
  return estimate(rho2, nu2, q.size(), p.points().rows(), floor2);
}

Result<NodeDistances> knn_divergences(const Dataset& dataset, NodeId k, const SimilarityContext& context) {
  std::vector<NeighbourSearch> searches;
  searches.reserve(dataset.nodes());
  for (NodeId i = 0; i < dataset.nodes(); ++i) {
    searches.emplace_back(dataset.features.middleCols(dataset.first_sample[i], dataset.samples_of(i)));
  }
  std::vector<Vector> rho2(dataset.nodes());
  const auto look_inside = [&](int /*worker*/, Index i) { rho2[i] = within_node(searches[i], k); };
  if (const Status done = for_each_item(context, "neighbours within nodes", dataset.nodes(), 1, look_inside); !done) {
    return done.error();
  }
  Result<Matrix> matrix = all_pairs(context, dataset.nodes(), [&](int /*worker*/, NodeId i, NodeId j) {
    return symmetric_estimate(searches[i], rho2[i], searches[j], rho2[j], k);
  });
  if (!matrix) return matrix.error();
  return NodeDistances::from_matrix(*std::move(matrix));
}

}  // namespace gtvmin
