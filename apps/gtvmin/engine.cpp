#include "engine.h"

#include "module_library.h"
#include "mpi_library.h"

namespace gtvmin::app {

Status check_engine([[maybe_unused]] Engine engine) {
#ifndef GTVMIN_MPI_LIBRARY
  if (engine == Engine::kMpi) {
    return usage_error(
        "--engine mpi: this gtvmin was built without MPI and METIS; install libopenmpi-dev and libmetis-dev "
        "(cmake/packages/mpi.txt) and build it again");
  }
#endif
  return Unit{};
}

Result<std::unique_ptr<Cluster>> join(Engine engine) {
#ifdef GTVMIN_MPI_LIBRARY
  if (engine == Engine::kMpi) {
    const Result<void*> join_mpi = load_symbol(GTVMIN_MPI_LIBRARY, kJoinMpi, "MPI");
    if (!join_mpi) return join_mpi.error();
    Result<std::unique_ptr<Cluster>> joined = std::unique_ptr<Cluster>();
    reinterpret_cast<JoinMpi> (*join_mpi)(joined);
    return joined;
  }
#endif
  if (const Status available = check_engine(engine); !available) return available.error();
  return std::unique_ptr<Cluster>(std::make_unique<SoloCluster>());
}

}  // namespace gtvmin::app
