#pragma once

#include <vector>

#include "gtvmin/base/result.h"
#include "gtvmin/runtime/simulated_network.h"
#include "gtvmin/solver/exchange.h"
#include "gtvmin/solver/solver.h"

namespace gtvmin {

/// Joins the shards of one process by messages over a simulated network. In every iteration a shard sends each
/// neighbouring shard the parameters of the boundary nodes it sees; sums climb a binary tree of the shards, and the
/// total comes down again. Whatever the network does, what arrives is the same.
class SimulatedExchange final : public Exchange {
 public:
  SimulatedExchange(std::span<const Shard> shards, const SimulatedNetwork& network);

  [[nodiscard]] Status swap(std::span<Shard> shards) override;
  [[nodiscard]] Result<SteeringSums> sum(std::span<const SteeringSums> parts) override;
  [[nodiscard]] NetworkReport report() const;

 private:
  /// The columns that one shard sends another, in the order of global node ids.
  struct Link {
    int from = 0;
    int to = 0;
    std::vector<Index> columns_from;
    std::vector<Index> columns_to;
  };

  [[nodiscard]] Result<std::vector<SteeringSums>> deliver(const std::vector<SteeringSums>& sums);

  SimulatedDelivery network_;
  std::vector<Link> links_;
  std::int64_t sums_ = 0;  // messages that carried sums
};

/// solve() with the nodes split into network.shards ranges of nearly equal work. Fails if the network's numbers make no
/// sense. `report`, if given, says what travelled.
[[nodiscard]] Result<SolveResult> solve_simulated(const Problem& problem, const SolverOptions& options,
                                                  const SimulatedNetwork& network, const SolveContext& context = {},
                                                  NetworkReport* report = nullptr);

}  // namespace gtvmin
