#include "gtvmin/graph/empirical_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <compare>
#include <map>
#include <numeric>

#include "gtvmin/base/stoppable_sort.h"

namespace gtvmin {

Result<EmpiricalGraph> EmpiricalGraph::make(NodeId nodes, std::vector<WeightedEdge> edges, const Stop& stop) {
  for (auto& e : edges) {
    if (e.a < 0 || e.b < 0 || e.a >= nodes || e.b >= nodes) {
      return bad_input(fmt::format("edge {}-{}: there are only {} nodes", e.a, e.b, nodes));
    }
    if (e.a == e.b) return bad_input(fmt::format("edge {}-{} is a self-loop", e.a, e.b));
    if (!std::isfinite(e.weight) || e.weight <= 0) {
      return bad_input(fmt::format("edge {}-{}: weight {} is not a finite number > 0", e.a, e.b, e.weight));
    }
    if (e.a > e.b) std::swap(e.a, e.b);
  }
  const auto by_ends = [](const WeightedEdge& x, const WeightedEdge& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; };
  if (!std::is_sorted(edges.begin(), edges.end(), by_ends) &&
      !sort_unless_stopped(edges.begin(), edges.end(), by_ends, stop)) {
    return interrupted();
  }
  const auto twice = std::adjacent_find(edges.begin(), edges.end(), [](const WeightedEdge& x, const WeightedEdge& y) {
    return x.a == y.a && x.b == y.b;
  });
  if (twice != edges.end()) return bad_input(fmt::format("edge {}-{} is given twice", twice->a, twice->b));

  EmpiricalGraph graph;
  graph.head_.reserve(edges.size());
  graph.tail_.reserve(edges.size());
  graph.weight_.reserve(edges.size());
  graph.first_incidence_.assign(static_cast<std::size_t>(nodes) + 1, 0);
  for (const auto& e : edges) {
    graph.head_.push_back(e.a);
    graph.tail_.push_back(e.b);
    graph.weight_.push_back(e.weight);
    ++graph.first_incidence_[e.a + 1];
    ++graph.first_incidence_[e.b + 1];
  }
  if (stopped(stop)) return interrupted();
  std::partial_sum(graph.first_incidence_.begin(), graph.first_incidence_.end(), graph.first_incidence_.begin());
  graph.incidences_.resize(2 * edges.size());
  std::vector<Index> next(graph.first_incidence_.begin(), graph.first_incidence_.end() - 1);
  for (EdgeId e = 0; e < graph.edges(); ++e) {
    graph.incidences_[next[graph.head_[e]]++] = {e, graph.tail_[e], 1.0};
    graph.incidences_[next[graph.tail_[e]]++] = {e, graph.head_[e], -1.0};
  }
  return graph;
}

Partition connected_groups(const EmpiricalGraph& graph, std::span<const char> keep) {
  Partition partition;
  partition.group_of.assign(graph.nodes(), -1);
  std::vector<NodeId> stack;
  for (NodeId start = 0; start < graph.nodes(); ++start) {
    if (partition.group_of[start] >= 0) continue;
    const NodeId group = partition.groups++;
    partition.group_of[start] = group;
    stack.push_back(start);
    while (!stack.empty()) {
      const NodeId i = stack.back();
      stack.pop_back();
      for (const auto& [edge, neighbour, sign] : graph.incident(i)) {
        if ((!keep.empty() && keep[edge] == 0) || partition.group_of[neighbour] >= 0) continue;
        partition.group_of[neighbour] = group;
        stack.push_back(neighbour);
      }
    }
  }
  return partition;
}

bool is_forest(const EmpiricalGraph& graph) {
  return graph.edges() < graph.nodes() && graph.edges() == graph.nodes() - connected_groups(graph).groups;
}

Partition merged(const Partition& groups, const Partition& larger) {
  Partition result;
  result.groups = larger.groups;
  result.group_of.reserve(groups.group_of.size());
  for (const NodeId group : groups.group_of) result.group_of.push_back(larger.group_of[group]);
  return result;
}

Matrix without_means(const Partition& groups, Matrix columns) {
  Matrix means = Matrix::Zero(columns.rows(), groups.groups);
  Vector sizes = Vector::Zero(groups.groups);
  for (Index i = 0; i < columns.cols(); ++i) {
    means.col(groups.group_of[i]) += columns.col(i);
    sizes[groups.group_of[i]] += 1;
  }
  means.array().rowwise() /= sizes.transpose().array();
  for (Index i = 0; i < columns.cols(); ++i) columns.col(i) -= means.col(groups.group_of[i]);
  return columns;
}

BreadthFirst breadth_first(const EmpiricalGraph& graph) {
  BreadthFirst search;
  auto& [order, distance] = search;
  order.reserve(graph.nodes());
  distance.assign(graph.nodes(), -1);
  for (NodeId start = 0; start < graph.nodes(); ++start) {
    if (distance[start] >= 0) continue;
    distance[start] = 0;
    order.push_back(start);
    for (std::size_t k = order.size() - 1; k < order.size(); ++k) {
      const NodeId i = order[k];
      for (const auto& incidence : graph.incident(i)) {
        if (distance[incidence.neighbour] >= 0) continue;
        distance[incidence.neighbour] = distance[i] + 1;
        order.push_back(incidence.neighbour);
      }
    }
  }
  return search;
}

Matrix apply_incidence(const EmpiricalGraph& graph, ConstMatrixRef w) {
  Matrix differences(w.rows(), graph.edges());
  for (EdgeId e = 0; e < graph.edges(); ++e) differences.col(e) = w.col(graph.head(e)) - w.col(graph.tail(e));
  return differences;
}

Matrix apply_incidence_transpose(const EmpiricalGraph& graph, ConstMatrixRef u) {
  ThreadTeam alone(1);
  return apply_incidence_transpose(graph, u, alone);
}

Matrix apply_incidence_transpose(const EmpiricalGraph& graph, ConstMatrixRef u, ThreadTeam& team) {
  constexpr Index kNodesOfChunk = 512;
  Matrix sums(u.rows(), graph.nodes());
  team.run(graph.nodes(), kNodesOfChunk, [&](int /*worker*/, Index begin, Index end) {
    for (auto i = static_cast<NodeId>(begin); i < end; ++i) {
      auto sum = sums.col(i);
      sum.setZero();
      for (const auto& incidence : graph.incident(i)) sum += incidence.sign * u.col(incidence.edge);
    }
  });
  return sums;
}

Partition equal_columns(const Matrix& w) {
  // An order even where a run has left the numbers.
  const auto less = [](double a, double b) { return std::is_lt(std::weak_order(a, b)); };
  const auto earlier = [&](NodeId i, NodeId j) {
    return std::lexicographical_compare(w.col(i).begin(), w.col(i).end(), w.col(j).begin(), w.col(j).end(), less);
  };
  std::map<NodeId, NodeId, decltype(earlier)> group_of_model(earlier);
  Partition partition;
  partition.group_of.reserve(static_cast<std::size_t>(w.cols()));
  for (NodeId i = 0; i < w.cols(); ++i) {
    const auto [model, is_new] = group_of_model.try_emplace(i, partition.groups);
    if (is_new) ++partition.groups;
    partition.group_of.push_back(model->second);
  }
  return partition;
}

}  // namespace gtvmin
