#include "gtvmin/runtime/mpi/mpi_exchange.h"

#include <algorithm>
#include <map>
#include <type_traits>

#include "mpi_errors.h"

namespace gtvmin {
namespace {

// Sums travel as they lie in memory: all processes run the same program on machines of one kind.
static_assert(std::is_trivially_copyable_v<SteeringSums>);

// MPI says what the parameters are.
void add_sums(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {  // NOLINT(readability-non-const-parameter)
  const auto* from = static_cast<const SteeringSums*>(in);
  auto* to = static_cast<SteeringSums*>(inout);
  for (int k = 0; k < *count; ++k) to[k].add(from[k]);
}

}  // namespace

MpiExchange::MpiExchange(MPI_Comm communicator, std::span<Shard> shards, const Owners& owners)
    : communicator_(communicator) {
  MPI_Type_contiguous(static_cast<int>(sizeof(SteeringSums)), MPI_BYTE, &sums_type_);
  MPI_Type_commit(&sums_type_);
  MPI_Op_create(add_sums, /*commute=*/1, &add_);
  if (shards.empty()) return;
  const Shard& shard = shards.front();
  std::map<int, Link> by_rank;
  for (Index i = shard.owned(); i < shard.local_nodes(); ++i) by_rank[owners[shard.nodes[i]]].received.push_back(i);
  for (Index i = 0; i < shard.boundary; ++i) {
    std::vector<int> ranks;
    for (const auto& incidence : shard.problem->graph().incident(shard.nodes[i])) {
      const int owner = owners[incidence.neighbour];
      if (owner != owners[shard.nodes[i]]) ranks.push_back(owner);
    }
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    for (const int rank : ranks) by_rank[rank].sent.push_back(i);
  }
  const auto by_node = [&](Index a, Index b) { return shard.nodes[a] < shard.nodes[b]; };
  links_.reserve(by_rank.size());
  for (auto& [rank, link] : by_rank) {
    link.rank = rank;
    std::sort(link.sent.begin(), link.sent.end(), by_node);
    std::sort(link.received.begin(), link.received.end(), by_node);
    link.outgoing.resize(shard.w.rows(), static_cast<Index>(link.sent.size()));
    link.incoming.resize(shard.w.rows(), static_cast<Index>(link.received.size()));
    links_.push_back(std::move(link));
  }
  for (Link& link : links_) open(link);
}

void MpiExchange::open(Link& link) {
  constexpr int kParametersTag = 1;
  MPI_Request receive = MPI_REQUEST_NULL;
  MPI_Request send = MPI_REQUEST_NULL;
  MPI_Recv_init(link.incoming.data(), static_cast<int>(link.incoming.size()), MPI_DOUBLE, link.rank, kParametersTag,
                communicator_, &receive);
  MPI_Send_init(link.outgoing.data(), static_cast<int>(link.outgoing.size()), MPI_DOUBLE, link.rank, kParametersTag,
                communicator_, &send);
  requests_.push_back(receive);
  requests_.push_back(send);
}

MpiExchange::~MpiExchange() {
  for (MPI_Request& request : requests_) MPI_Request_free(&request);
  MPI_Op_free(&add_);
  MPI_Type_free(&sums_type_);
}

void MpiExchange::send(std::span<const Shard> shards) {
  for (Link& link : links_) {
    for (std::size_t k = 0; k < link.sent.size(); ++k) {
      link.outgoing.col(static_cast<Index>(k)) = shards.front().w_next.col(link.sent[k]);
    }
  }
  if (requests_.empty()) return;
  code_ = MPI_Startall(static_cast<int>(requests_.size()), requests_.data());
  under_way_ = code_ == MPI_SUCCESS;
}

void MpiExchange::progress() {
  if (!under_way_) return;
  int all_done = 0;
  code_ = MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &all_done, MPI_STATUSES_IGNORE);
  under_way_ = code_ == MPI_SUCCESS && all_done == 0;
}

Status MpiExchange::swap(std::span<Shard> shards) {
  if (under_way_) code_ = MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  if (code_ != MPI_SUCCESS) return mpi_failure("exchanging parameters", code_);
  for (const Link& link : links_) {
    for (std::size_t k = 0; k < link.received.size(); ++k) {
      shards.front().w_next.col(link.received[k]) = link.incoming.col(static_cast<Index>(k));
    }
  }
  return Unit{};
}

Result<SteeringSums> MpiExchange::sum(std::span<const SteeringSums> parts) {
  SteeringSums mine;
  for (const SteeringSums& part : parts) mine.add(part);
  SteeringSums total;
  const int code = MPI_Allreduce(&mine, &total, 1, sums_type_, add_, communicator_);
  if (code != MPI_SUCCESS) return mpi_failure("adding up", code);
  return total;
}

Index MpiExchange::bytes_per_iteration() const {
  Index numbers = 0;
  for (const Link& link : links_) numbers += link.outgoing.size();
  return numbers * static_cast<Index>(sizeof(double));
}

}  // namespace gtvmin
