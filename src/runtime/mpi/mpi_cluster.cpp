#include "gtvmin/runtime/mpi/mpi_cluster.h"

#include <mpi.h>

#include <algorithm>
#include <cstdint>

#include "gtvmin/runtime/mpi/mpi_exchange.h"
#include "gtvmin/runtime/mpi/partition.h"
#include "mpi_errors.h"

namespace gtvmin {
namespace {

constexpr int kBytesTag = 2;
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;  // MPI counts in int

int send_bytes(const std::string& bytes, int to) {
  const auto size = static_cast<std::uint64_t>(bytes.size());
  int code = MPI_Send(&size, 1, MPI_UINT64_T, to, kBytesTag, MPI_COMM_WORLD);
  for (std::size_t at = 0; at < bytes.size() && code == MPI_SUCCESS; at += kMostAtOnce) {
    const auto count = static_cast<int>(std::min(kMostAtOnce, bytes.size() - at));
    code = MPI_Send(bytes.data() + at, count, MPI_BYTE, to, kBytesTag, MPI_COMM_WORLD);
  }
  return code;
}

int receive_bytes(std::string& bytes, int from) {
  std::uint64_t size = 0;
  int code = MPI_Recv(&size, 1, MPI_UINT64_T, from, kBytesTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  bytes.resize(size);
  for (std::size_t at = 0; at < bytes.size() && code == MPI_SUCCESS; at += kMostAtOnce) {
    const auto count = static_cast<int>(std::min(kMostAtOnce, bytes.size() - at));
    code = MPI_Recv(bytes.data() + at, count, MPI_BYTE, from, kBytesTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return code;
}

class MpiCluster final : public Cluster {
 public:
  MpiCluster() {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  MpiCluster(const MpiCluster&) = delete;
  MpiCluster& operator=(const MpiCluster&) = delete;
  ~MpiCluster() override { MPI_Finalize(); }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  [[nodiscard]] Result<Owners> partition(const EmpiricalGraph& graph, std::span<const Index> work) override {
    return partition_graph(graph, work, size_);
  }
  [[nodiscard]] std::unique_ptr<Exchange> join(std::span<Shard> shards, const Owners& owners) override {
    return std::make_unique<MpiExchange>(MPI_COMM_WORLD, shards, owners);
  }
  [[nodiscard]] Result<std::vector<std::string>> gather(const std::string& bytes) override {
    if (rank_ != 0) {
      const int code = send_bytes(bytes, 0);
      if (code != MPI_SUCCESS) return mpi_failure("sending results", code);
      return std::vector<std::string>{};
    }
    std::vector<std::string> parts(static_cast<std::size_t>(size_));
    parts.front() = bytes;
    for (int from = 1; from < size_; ++from) {
      const int code = receive_bytes(parts[from], from);
      if (code != MPI_SUCCESS) return mpi_failure("gathering results", code);
    }
    return parts;
  }
  [[nodiscard]] Result<std::string> broadcast(const std::string& bytes) override {
    std::string copy = rank_ == 0 ? bytes : std::string();
    auto size = static_cast<std::uint64_t>(copy.size());
    int code = MPI_Bcast(&size, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    copy.resize(size);
    for (std::size_t at = 0; at < copy.size() && code == MPI_SUCCESS; at += kMostAtOnce) {
      const auto count = static_cast<int>(std::min(kMostAtOnce, copy.size() - at));
      code = MPI_Bcast(copy.data() + at, count, MPI_BYTE, 0, MPI_COMM_WORLD);
    }
    if (code != MPI_SUCCESS) return mpi_failure("telling everyone", code);
    return copy;
  }

 private:
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace

Result<std::unique_ptr<Cluster>> join_mpi() {
  int provided = MPI_THREAD_SINGLE;
  const int code = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  if (code != MPI_SUCCESS) return mpi_failure("starting", code);
  return std::unique_ptr<Cluster>(std::make_unique<MpiCluster>());
}

}  // namespace gtvmin
