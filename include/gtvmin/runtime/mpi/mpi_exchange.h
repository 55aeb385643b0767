#pragma once

#include <mpi.h>

#include <span>
#include <vector>

#include "gtvmin/runtime/cluster.h"
#include "gtvmin/solver/exchange.h"

namespace gtvmin {

/// Joins the shards of the processes of an MPI communicator, at most one each, by persistent requests: a process sends
/// each neighbour the parameters of the boundary nodes it sees, once an iteration, while it computes its other nodes.
/// MPI moves large messages only while it is called, which is what progress() is for.
class MpiExchange final : public Exchange {
 public:
  MpiExchange(MPI_Comm communicator, std::span<Shard> shards, const Owners& owners);
  ~MpiExchange() override;

  void send(std::span<const Shard> shards) override;
  void progress() override;
  [[nodiscard]] Status swap(std::span<Shard> shards) override;
  [[nodiscard]] Result<SteeringSums> sum(std::span<const SteeringSums> parts) override;

  /// Bytes that this process sends in an iteration.
  [[nodiscard]] Index bytes_per_iteration() const;

 private:
  /// What one neighbouring process and this one tell each other, columns in the order of node ids.
  struct Link {
    int rank = 0;
    std::vector<Index> sent;      // local columns
    std::vector<Index> received;  // local columns
    Matrix outgoing;
    Matrix incoming;
  };

  void open(Link& link);

  MPI_Comm communicator_;
  MPI_Datatype sums_type_ = MPI_DATATYPE_NULL;
  MPI_Op add_ = MPI_OP_NULL;
  std::vector<Link> links_;
  std::vector<MPI_Request> requests_;  // per link: receive, send
  bool under_way_ = false;             // not all of them are known to be done
  int code_ = MPI_SUCCESS;             // what went wrong on the way shows in swap()
};

}  // namespace gtvmin
