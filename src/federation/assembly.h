#pragma once

/// What topology and federation files have in common. Private to this room.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gtvmin/federation/federation.h"

namespace gtvmin {

/// A federation while it is being read.
struct Assembly {
  Federation federation;
  std::vector<std::int64_t> site_lines;  ///< of sites
  std::map<std::string, NodeId, std::less<>> node_ids;
};

/// Takes name, sums, [solve] and [[site]] from the table and refuses what is left.
[[nodiscard]] Assembly read_sites(TableReader& table, InputProblems& problems);

/// To be called once edges are in: sorts them, and checks what only the whole can show.
void finish_federation(Assembly& assembly, InputProblems& problems);

}  // namespace gtvmin
