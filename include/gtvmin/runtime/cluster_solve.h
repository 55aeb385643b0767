#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gtvmin/problem/dataset.h"
#include "gtvmin/problem/model.h"
#include "gtvmin/runtime/checkpoint.h"
#include "gtvmin/runtime/cluster.h"
#include "gtvmin/solver/solver.h"

namespace gtvmin {

/// What a node costs in an iteration, in units of d numbers: its edges, and the update of its parameters by its
/// samples.
[[nodiscard]] std::vector<Index> node_work(const Dataset& dataset, const EmpiricalGraph& graph,
                                           const LocalModel& model);

/// When and where a run is saved, and with what it begins.
struct Checkpointing {
  std::string problem;                                   ///< see Checkpoint
  std::int64_t every = 0;                                ///< iterations; 0: never
  std::function<Status(const std::string&)> store = {};  ///< called by rank 0 with the bytes of a checkpoint
  std::string stored = {};                               ///< rank 0: the bytes to go on from; empty: from the start
};

/// solve() by message passing alone, with the nodes of each process where `owners` says. A process's problem has the
/// whole graph, but needs to know only the losses of its own nodes. Rank 0 gets the whole result, as one process would
/// have it, to the last bit; the others a result without what belongs to single nodes and edges.
[[nodiscard]] Result<SolveResult> solve_on(Cluster& cluster, const Problem& problem, const Owners& owners,
                                           const SolverOptions& options, const Checkpointing& checkpointing,
                                           const SolveContext& context = {});

}  // namespace gtvmin
