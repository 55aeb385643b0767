#pragma once

#include <cstdint>

#include "gtvmin/base/types.h"
#include "gtvmin/certify/certify.h"
#include "gtvmin/problem/problem.h"

namespace gtvmin {

/// The groups of nodes that edges with room in u connect: at an optimum such edges are fused (norm penalties). For
/// other penalties every node is a group of its own.
[[nodiscard]] Partition groups_with_room(const Problem& problem, const Matrix& u);

struct Polished {
  Matrix w;  ///< equal to the last bit within each final group
  Matrix u;
  Certificate certificate;
  std::int64_t newton_steps = 0;
};

/// Contracts the groups, solves the small problem to rounding level, contracts further where it fuses, lifts the
/// solution back and certifies it. Needs has_curvature(problem). The answer is as good as its certificate says: groups
/// that do not belong together give a poor one. Without exactness, the flow of curved problems stays as it is.
[[nodiscard]] Polished polish(const Problem& problem, const Matrix& w, const Matrix& u, Partition groups,
                              std::int64_t most_steps, const CertifyEffort& effort);

}  // namespace gtvmin
