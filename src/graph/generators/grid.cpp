#include "gtvmin/graph/generators/grid.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>

namespace gtvmin {

Result<GeneratedGraph> grid_graph(NodeId rows, NodeId cols) {
  if (rows < 1) return usage_error(fmt::format("rows: {} is not ≥ 1", rows));
  if (cols < 1) return usage_error(fmt::format("cols: {} is not ≥ 1", cols));
  // Two edges a node.
  if (std::int64_t{rows} * cols > std::numeric_limits<EdgeId>::max() / 2) {
    return usage_error(fmt::format("rows: a grid of {} × {} nodes is too large", rows, cols));
  }
  GeneratedGraph graph;
  std::vector<NodeId> quadrant;
  quadrant.reserve(static_cast<std::size_t>(rows) * cols);
  for (NodeId row = 0; row < rows; ++row) {
    for (NodeId col = 0; col < cols; ++col) {
      const NodeId i = row * cols + col;
      quadrant.push_back((row < rows / 2 ? 0 : 2) + (col < cols / 2 ? 0 : 1));
      if (col + 1 < cols) graph.edges.push_back({i, i + 1, 1.0});
      if (row + 1 < rows) graph.edges.push_back({i, i + cols, 1.0});
    }
  }
  graph.clusters = partition_by_label(quadrant);
  return graph;
}

}  // namespace gtvmin
