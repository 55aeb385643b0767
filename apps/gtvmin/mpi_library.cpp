#include "mpi_library.h"

#include "gtvmin/runtime/mpi/mpi_cluster.h"

extern "C" void gtvmin_join_mpi(gtvmin::Result<std::unique_ptr<gtvmin::Cluster>>& joined) {
  joined = gtvmin::join_mpi();
}
