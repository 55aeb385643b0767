#pragma once

#include <optional>
#include <string>

#include "graph_options.h"
#include "gtvmin/problem/dataset.h"

namespace gtvmin::app {

/// Reads the data file as the method needs it: with a label or without, a time and a value, or all other columns.
[[nodiscard]] Result<Dataset> read_graph_data(const GraphSettings& settings, const OptionSet& options);

/// `source,target,weight`.
[[nodiscard]] std::string edge_list_csv(const std::vector<WeightedEdge>& edges, const std::vector<std::string>& names);
/// `node,e1,e2,…`, one row per sample.
[[nodiscard]] std::string embedding_csv(const Dataset& dataset);

}  // namespace gtvmin::app
