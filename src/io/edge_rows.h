#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "gtvmin/base/result.h"
#include "gtvmin/base/stop.h"
#include "gtvmin/graph/empirical_graph.h"
#include "gtvmin/io/input_problems.h"
#include "name_table.h"

namespace gtvmin {

/// Edges and the lines on which they stand.
struct EdgeRows {
  std::vector<WeightedEdge> edges;
  std::vector<std::int64_t> lines;
};

/// The edges of an edge file, in the order of the file. Names are numbered by `names`. What is wrong goes to
/// `problems`; if there are any, the result means nothing. Fails where `stop` said so.
[[nodiscard]] Result<EdgeRows> read_edge_rows(std::string_view text, NameTable& names, InputProblems& problems,
                                              const Stop& stop = {});

}  // namespace gtvmin
