#pragma once

#include <optional>
#include <string>

#include "gtvmin/base/result.h"
#include "gtvmin/io/file_lock.h"
#include "gtvmin/runtime/cluster.h"
#include "gtvmin/solver/solver.h"
#include "solve_input.h"
#include "solve_options.h"

namespace gtvmin::app {

/// Input and result of a run on a cluster, or of one that is saved.
struct ClusterOutcome {
  SolveInput input;    ///< with the samples of this process's nodes
  SolveResult result;  ///< complete on rank 0
  Vector influence;    ///< of all nodes, on rank 0; see influence_bounds
  /// Rank 0 of a run that is saved: its checkpoint is nobody else's before the result is written.
  std::optional<FileLock> lock;
};

/// Reads the input, keeps what this process has to do with, and solves. All processes fail together, with the same
/// error.
[[nodiscard]] Result<ClusterOutcome> solve_on_cluster(Cluster& cluster, const SolveSettings& settings,
                                                      const OptionSet& options);

}  // namespace gtvmin::app
