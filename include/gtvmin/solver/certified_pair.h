#pragma once

#include <limits>
#include <span>

#include "gtvmin/base/types.h"
#include "gtvmin/certify/certify.h"
#include "gtvmin/solver/shard.h"

namespace gtvmin {

/// A primal-dual pair over the whole graph and what is proved about it.
struct CertifiedPair {
  Matrix w;
  Matrix u;
  Certificate certificate;
  bool polished = false;  ///< nodes of a cluster are equal to the last bit

  /// Relative; +∞ if nothing is proved.
  [[nodiscard]] double bound() const {
    const bool bounds = is_bound(certificate) && w.size() > 0;
    return bounds ? certificate.relative : std::numeric_limits<double>::infinity();
  }
};

/// The present state of shards that together hold everything.
[[nodiscard]] inline CertifiedPair collect(const Problem& problem, std::span<const Shard> shards) {
  CertifiedPair pair{Matrix(problem.dimension(), problem.nodes()), Matrix(problem.dimension(), problem.edges()), {}};
  for (const auto& shard : shards) get_state(shard, pair.w, pair.u);
  return pair;
}

}  // namespace gtvmin
