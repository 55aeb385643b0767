#pragma once

#include <string>
#include <vector>

#include "gtvmin/base/result.h"
#include "gtvmin/base/types.h"

namespace gtvmin {

/// Named nodes, and what messages call the place where they stand, e.g. a file.
struct NamedNodes {
  std::string where;
  const std::vector<std::string>& names;
};

/// For every node of `part` its position in `whole`; names are unique in `whole`. Fails with the names (at most 20)
/// that `whole` lacks.
[[nodiscard]] Result<std::vector<NodeId>> find_nodes(const NamedNodes& part, const NamedNodes& whole);

/// The same where both must have the same nodes: fails also with the names that `part` lacks.
[[nodiscard]] Result<std::vector<NodeId>> match_nodes(const NamedNodes& part, const NamedNodes& whole);

}  // namespace gtvmin
