#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gtvmin/options/option_set.h"
#include "gtvmin/synthetic/synthetic_data.h"

namespace gtvmin::app {

/// The file by which a directory is recognised as written by `gtvmin generate`.
inline constexpr std::string_view kGenerateMarker = "generate.json";

/// Nodes with neither samples nor edges. They stand in neither file that a solver reads, hence in none that it is
/// compared with.
[[nodiscard]] std::vector<NodeId> absent_nodes(const Dataset& dataset);

/// data.csv, edges.csv, truth.csv, clusters.csv and generate.json. `kind` names the graph.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> generate_files(const std::string& kind,
                                                                              const SyntheticData& data,
                                                                              const OptionSet& options);

/// What was written, for a person.
[[nodiscard]] std::string generate_report(const SyntheticData& data, const std::string& directory);

}  // namespace gtvmin::app
