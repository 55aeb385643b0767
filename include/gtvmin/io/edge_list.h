#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gtvmin/base/result.h"
#include "gtvmin/graph/empirical_graph.h"

namespace gtvmin {

/// What an edge file says: nodes numbered in the order of their first appearance, and edges in the order of the file.
struct EdgeList {
  std::vector<std::string> node_names;
  std::vector<WeightedEdge> edges;
  std::vector<std::int64_t> lines;  ///< of edges
};

/// Reads `source,target[,weight]`. Fails like read_dataset.
[[nodiscard]] Result<EdgeList> read_edge_list(const std::string& path);
[[nodiscard]] Result<EdgeList> parse_edge_list(const std::string& name, std::string_view content);

}  // namespace gtvmin
