#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gtvmin/graph/empirical_graph.h"

namespace gtvmin {

/// The smallest, the middle (of an even number, the upper one) and the largest of some numbers; all 0 if there are
/// none.
struct Spread {
  double low = 0;
  double median = 0;
  double high = 0;
};
[[nodiscard]] Spread spread_of(std::vector<double> numbers);

/// How edges and known clusters agree.
struct ClusterAgreement {
  Index edges_within = 0;
  /// Shares of the edges, and of their weight, that join two nodes of one cluster.
  double share = 0;
  double weight_share = 0;
  /// The share that edges drawn at random would have.
  double share_by_chance = 0;
};

/// What there is to know about a graph before a solver gets it.
struct GraphSummary {
  NodeId nodes = 0;
  EdgeId edges = 0;
  Spread degree;
  Spread weight;
  NodeId components = 0;
  std::vector<NodeId> isolated;
  /// The node with the most edges.
  NodeId hub = 0;
  std::optional<ClusterAgreement> clusters;
};

/// `clusters` has one group per node, or is null.
[[nodiscard]] GraphSummary summarise_graph(const EmpiricalGraph& graph, const Partition* clusters);

/// What will hurt the solver, one sentence each: isolated nodes, several components, weights over many orders of
/// magnitude, hubs.
[[nodiscard]] std::vector<std::string> graph_warnings(const GraphSummary& summary,
                                                      const std::vector<std::string>& node_names);

/// 'a', 'b', 'c' and 4 more.
[[nodiscard]] std::string list_nodes(const std::vector<NodeId>& nodes, const std::vector<std::string>& node_names);

}  // namespace gtvmin
