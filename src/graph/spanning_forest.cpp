#include "gtvmin/graph/spanning_forest.h"

#include <algorithm>
#include <numeric>

namespace gtvmin {

SpanningForest maximum_spanning_forest(const EmpiricalGraph& graph, std::span<const double> priority) {
  const NodeId nodes = graph.nodes();
  std::vector<EdgeId> edges(graph.edges());
  std::iota(edges.begin(), edges.end(), 0);
  std::sort(edges.begin(), edges.end(),
            [&](EdgeId a, EdgeId b) { return priority[a] != priority[b] ? priority[a] > priority[b] : a < b; });
  std::vector<NodeId> set(nodes);
  std::iota(set.begin(), set.end(), 0);
  const auto find = [&](NodeId i) {
    while (set[i] != i) i = set[i] = set[set[i]];
    return i;
  };
  std::vector<char> kept(graph.edges(), 0);
  std::vector<NodeId> roots;
  std::vector<char> touched(nodes, 0);
  for (const EdgeId e : edges) {
    const NodeId a = find(graph.head(e));
    const NodeId b = find(graph.tail(e));
    if (a == b) continue;
    set[a] = b;
    kept[e] = 1;
    if (touched[graph.head(e)] == 0 && touched[graph.tail(e)] == 0) roots.push_back(graph.head(e));
    touched[graph.head(e)] = touched[graph.tail(e)] = 1;
  }
  for (NodeId i = 0; i < nodes; ++i) {
    if (graph.degree(i) == 0) roots.push_back(i);
  }
  SpanningForest forest;
  forest.order.reserve(nodes);
  forest.parent.assign(nodes, -1);
  forest.edge.assign(nodes, -1);
  std::vector<char> seen(nodes, 0);
  for (const NodeId root : roots) {
    if (seen[root] != 0) continue;
    seen[root] = 1;
    std::size_t next = forest.order.size();
    forest.order.push_back(root);
    for (; next < forest.order.size(); ++next) {
      const NodeId i = forest.order[next];
      for (const auto& [e, neighbour, sign] : graph.incident(i)) {
        if (kept[e] == 0 || seen[neighbour] != 0) continue;
        seen[neighbour] = 1;
        forest.parent[neighbour] = i;
        forest.edge[neighbour] = e;
        forest.order.push_back(neighbour);
      }
    }
  }
  return forest;
}

}  // namespace gtvmin
