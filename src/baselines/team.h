#pragma once

#include <algorithm>

#include "gtvmin/base/thread_team.h"

namespace gtvmin {

/// visit(worker, k) for k = 0 … items − 1, shared out over the team. Each k must write to places of its own; then the
/// bits do not depend on the number of threads.
template <class Visit>
void for_each(ThreadTeam& team, Index items, const Visit& visit) {
  const Index chunk = std::max<Index>(1, items / (8 * team.size()));
  team.run(items, chunk, [&](int worker, Index begin, Index end) {
    for (Index k = begin; k < end; ++k) visit(worker, k);
  });
}

}  // namespace gtvmin
