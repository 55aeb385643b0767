#pragma once

#include <string>

#include "gtvmin/base/result.h"
#include "gtvmin/federation/federation.h"

namespace gtvmin {

/// Makes a federation of what its founder writes: name, sums (true if not given), sites, [solve], and `edges`, the path
/// of an edge file that starts at the folder of the topology. Every node of the edge file belongs to exactly one site;
/// a node without edges may. All problems of both files are listed as read_federation does.
[[nodiscard]] Result<Federation> read_topology(const std::string& path);

}  // namespace gtvmin
