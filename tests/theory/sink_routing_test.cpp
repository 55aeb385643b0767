// Routing by maximum flows against all subsets of nodes.

#include "gtvmin/theory/sink_routing.h"

#include <gtest/gtest.h>

#include <limits>

#include "testing/random_problems.h"

namespace gtvmin {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

/// min over sinks of the max over non-empty sets A without the sink of Σ_A scaled/(cut(A) − Σ_A fixed).
double enumerated_scale(const EmpiricalGraph& graph, const Vector& fixed, const Vector& scaled) {
  const NodeId n = graph.nodes();
  double best = kEndless;
  for (NodeId sink = 0; sink < n; ++sink) {
    double worst = 0;
    for (unsigned set = 1; set < (1U << n); ++set) {
      if (((set >> sink) & 1U) != 0) continue;
      double slack = 0;
      double numerator = 0;
      for (NodeId i = 0; i < n; ++i) {
        if (((set >> i) & 1U) == 0) continue;
        slack -= fixed[i];
        numerator += scaled[i];
      }
      for (EdgeId e = 0; e < graph.edges(); ++e) {
        const bool leaves = ((set >> graph.head(e)) & 1U) != ((set >> graph.tail(e)) & 1U);
        if (leaves) slack += graph.weight(e);
      }
      worst = std::max(worst, slack > 0 ? numerator / slack : kEndless);
    }
    best = std::min(best, worst);
  }
  return best;
}

double set_value(const EmpiricalGraph& graph, const std::vector<NodeId>& set, const Vector& scaled) {
  double numerator = 0;
  double cut = 0;
  std::vector<char> inside(static_cast<std::size_t>(graph.nodes()), 0);
  for (const NodeId i : set) inside[static_cast<std::size_t>(i)] = 1;
  for (const NodeId i : set) numerator += scaled[i];
  for (EdgeId e = 0; e < graph.edges(); ++e) {
    if (inside[graph.head(e)] != inside[graph.tail(e)]) cut += graph.weight(e);
  }
  return numerator / cut;
}

TEST(SinkRouting, AgreesWithAllSubsetsOfSmallGraphs) {
  int finite = 0;
  int infinite = 0;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const auto nodes = static_cast<NodeId>(2 + rng.below(8));
    const EmpiricalGraph graph = random_graph(rng, nodes, static_cast<int>(rng.below(15)), 0.5);
    Vector fixed(nodes);
    Vector scaled(nodes);
    for (NodeId i = 0; i < nodes; ++i) {
      fixed[i] = rng.below(2) == 0 ? 0 : rng.uniform();
      scaled[i] = rng.below(4) == 0 ? 0 : rng.uniform();
    }
    const double expected = enumerated_scale(graph, fixed, scaled);
    const SinkRouting routed = least_sink_scale(graph, fixed, scaled);
    EXPECT_TRUE(routed.every_sink);
    if (std::isinf(expected)) {
      EXPECT_EQ(routed.scale, kEndless);
      ++infinite;
    } else {
      EXPECT_GE(routed.scale, expected * (1 - 1e-12));
      EXPECT_LE(routed.scale, expected * (1 + 1e-6));
      ++finite;
    }
  }
  EXPECT_GT(finite, 20);
  EXPECT_GT(infinite, 10);
}

TEST(SinkRouting, MarginIsAttainedByTheTightSet) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const EmpiricalGraph graph = random_graph(rng, 8, 10, 0.5);
    Vector demand(8);
    for (double& entry : demand) entry = rng.uniform();
    const SinkRouting routed = least_sink_scale(graph, Vector::Zero(8), demand);
    EXPECT_NEAR(routed.scale / enumerated_scale(graph, Vector::Zero(8), demand), 1, 1e-6);
    EXPECT_NEAR(set_value(graph, routed.tight, demand) / routed.scale, 1, 1e-6);
    EXPECT_EQ(std::count(routed.tight.begin(), routed.tight.end(), routed.sink), 0);
  }
}

// A path 0 – 1 – 2 with weights 1 and 3 and demands 1, 1, 1. To sink 1 the edges carry 1 and 1: s = max(1/1, 1/3) = 1.
// To sink 2 they carry 1 and 2: s = max(1, 2/3) = 1. The set {0} limits both.
TEST(SinkRouting, OnAPathFollowsByHand) {
  const EmpiricalGraph path = *EmpiricalGraph::make(3, {{0, 1, 1}, {1, 2, 3}});
  const SinkRouting routed = least_sink_scale(path, Vector::Zero(3), Vector::Ones(3));
  EXPECT_NEAR(routed.scale, 1, 1e-6);
  EXPECT_EQ(routed.tight, std::vector<NodeId>{0});
  EXPECT_EQ(routed.tight_cut, 1);
}

TEST(SinkRouting, NeedsNothingWithoutDemand) {
  const EmpiricalGraph path = *EmpiricalGraph::make(3, {{0, 1, 1}, {1, 2, 3}});
  EXPECT_EQ(least_sink_scale(path, Vector::Zero(3), Vector::Zero(3)).scale, 0);
}

}  // namespace
}  // namespace gtvmin
