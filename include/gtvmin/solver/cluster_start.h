#pragma once

#include <cstdint>
#include <optional>

#include "gtvmin/base/thread_team.h"
#include "gtvmin/base/types.h"
#include "gtvmin/problem/problem.h"

namespace gtvmin {

/// The optimum on few clusters, and a flow that may hold each of them together.
struct ClusterStart {
  Matrix w;  ///< equal to the last bit within each cluster
  Matrix u;
  std::int64_t newton_steps = 0;
};

/// Begins with one model for everybody. What pulls single nodes away from it must flow through the edges, as current
/// flows through resistors; where that is more than edges can bear, the cluster breaks, first at the most overloaded
/// ones, and the optimum of the larger number of clusters is computed. Where data falls into few, well-connected
/// clusters that takes some rounds, each as cheap as a few iterations of message passing. None if there are many
/// clusters, if it takes long to see how current flows, and in a forest, where one cut after the other takes longer
/// than message passing to show where clusters are. Needs has_curvature(problem) and a norm penalty.
[[nodiscard]] std::optional<ClusterStart> start_from_one_cluster(const Problem& problem, ThreadTeam& team);

/// The same with other clusters to begin with, and a pair near their optimum; in a forest too, whose clusters break at
/// their worst edge only.
[[nodiscard]] std::optional<ClusterStart> start_from_clusters(const Problem& problem, Partition clusters, Matrix w,
                                                              Matrix u, ThreadTeam& team);

}  // namespace gtvmin
