#pragma once

#include <memory>

#include "gtvmin/base/result.h"
#include "gtvmin/runtime/cluster.h"

namespace gtvmin::app {

/// join_mpi as the library of MPI exports it, under the name kJoinMpi. Both sides are of one build.
using JoinMpi = void (*)(Result<std::unique_ptr<Cluster>>& joined);
constexpr const char* kJoinMpi = "gtvmin_join_mpi";

}  // namespace gtvmin::app
