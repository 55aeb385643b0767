#pragma once

// Random graphs, losses and problems for tests: small, seeded, and of every kind that the solver must master.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gtvmin/base/rng.h"
#include "gtvmin/loss/generalized_linear_loss.h"
#include "gtvmin/loss/quadratic_loss.h"
#include "gtvmin/problem/problem.h"
#include "gtvmin/testing/property_report.h"

namespace gtvmin {

inline Matrix random_matrix(Rng& rng, Index rows, Index columns, double size = 1) {
  Matrix matrix(rows, columns);
  for (double& entry : matrix.reshaped()) entry = size * rng.normal();
  return matrix;
}

/// −1 or 1.
inline Vector random_labels(Rng& rng, Index count) {
  Vector labels(count);
  for (double& label : labels) label = rng.below(2) == 0 ? -1 : 1;
  return labels;
}

/// A spanning tree and about `extra` more edges; weights are 10^x, x uniform in [−spread, spread].
inline EmpiricalGraph random_graph(Rng& rng, NodeId nodes, int extra, double spread = 1) {
  std::vector<WeightedEdge> edges;
  std::vector<std::vector<char>> joined(nodes, std::vector<char>(nodes, 0));
  const auto join = [&](NodeId a, NodeId b) {
    if (a == b || joined[a][b] != 0) return;
    joined[a][b] = joined[b][a] = 1;
    edges.push_back({a, b, std::pow(10.0, spread * (2 * rng.uniform() - 1))});
  };
  for (NodeId i = 1; i < nodes; ++i) join(i, static_cast<NodeId>(rng.below(i)));
  for (int k = 0; k < extra; ++k) join(static_cast<NodeId>(rng.below(nodes)), static_cast<NodeId>(rng.below(nodes)));
  return *EmpiricalGraph::make(nodes, std::move(edges));
}

/// A regular Q for "quadratic"; "singular" is the quadratic penalty with a singular one (regular in one dimension).
inline Penalty test_penalty(const std::string& name, Index d) {
  if (name != "quadratic" && name != "singular") return *make_penalty(name);
  Rng rng(77);
  const Matrix root = random_matrix(rng, d, std::max<Index>(1, d - 1));
  Matrix q = root * root.transpose();
  if (name == "quadratic") q += 0.3 * Matrix::Identity(d, d);
  return *make_penalty("quadratic", (q + q.transpose()) / 2);
}

/// The loss of one node: `linear` with 1 to 2d samples, so m < d occurs, `logistic` or `point`.
inline LossPtr random_loss(Rng& rng, const std::string& model, Index d) {
  const auto m = static_cast<Index>(1 + rng.below(2 * d));
  if (model == "point") return QuadraticLoss::points(random_matrix(rng, d, 1), 1, 0);
  const Matrix features = random_matrix(rng, d, m);
  const double scale = 1 / static_cast<double>(m);
  if (model == "logistic") return LogisticLoss::make(features, random_labels(rng, m), scale, Vector::Constant(d, 0.01));
  return QuadraticLoss::least_squares(features, random_vector(rng, m, 1), scale, Vector::Zero(d));
}

struct RandomProblem {
  std::string model = "linear";
  std::string penalty = "l2";
  NodeId nodes = 12;
  int extra_edges = 10;
  Index dimension = 3;
  double lambda = 0.1;
  double weight_spread = 1;
  /// Every so-manieth node has no data; 0: all have.
  NodeId without_data_every = 4;
};

/// Nodes whose data are not known here get none.
template <class IsKnown>
Problem random_problem(std::uint64_t seed, const RandomProblem& spec, const IsKnown& is_known) {
  Rng rng(seed);
  auto graph = random_graph(rng, spec.nodes, spec.extra_edges, spec.weight_spread);
  std::vector<LossPtr> losses;
  for (NodeId i = 0; i < spec.nodes; ++i) {
    auto loss = random_loss(rng, spec.model, spec.dimension);
    const bool without_data = spec.without_data_every > 0 && i % spec.without_data_every == 1;
    losses.push_back(without_data || !is_known(i) ? QuadraticLoss::zero(spec.dimension) : std::move(loss));
  }
  return *Problem::make(std::move(graph), std::move(losses), test_penalty(spec.penalty, spec.dimension), spec.lambda);
}

inline Problem random_problem(std::uint64_t seed, const RandomProblem& spec) {
  return random_problem(seed, spec, [](NodeId) { return true; });
}

}  // namespace gtvmin
