#pragma once

#include <string>
#include <string_view>

#include "gtvmin/io/result_directory.h"
#include "theory_input.h"

namespace gtvmin::app {

/// By which a directory of `gtvmin theory` is recognised.
inline constexpr std::string_view kTheoryMarker = "theory.json";

/// The analysis as one JSON object.
[[nodiscard]] std::string theory_json(const TheoryRecord& record);

/// theory.json, theory_clusters.csv, theory_nodes.csv, theory_pairs.csv and, with --critical, critical.csv.
[[nodiscard]] NamedFiles theory_files(const TheoryRecord& record);

}  // namespace gtvmin::app
