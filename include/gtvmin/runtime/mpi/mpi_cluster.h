#pragma once

#include <memory>

#include "gtvmin/base/result.h"
#include "gtvmin/runtime/cluster.h"

namespace gtvmin {

/// The processes that mpirun has started. Starts MPI, and ends it with the cluster's life; once in a process.
[[nodiscard]] Result<std::unique_ptr<Cluster>> join_mpi();

}  // namespace gtvmin
