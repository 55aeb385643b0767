#pragma once

#include <string_view>
#include <vector>

#include "gtvmin/graph/empirical_graph.h"
#include "input_problems.h"
#include "name_table.h"

namespace gtvmin {

/// The edges of an edge file, in the order of the file. Names are numbered by `names`. What is wrong goes to
/// `problems`; if there are any, the result means nothing.
[[nodiscard]] std::vector<WeightedEdge> read_edge_rows(std::string_view text, NameTable& names,
                                                       InputProblems& problems);

}  // namespace gtvmin
