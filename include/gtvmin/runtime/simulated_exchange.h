#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "gtvmin/base/result.h"
#include "gtvmin/base/rng.h"
#include "gtvmin/solver/exchange.h"
#include "gtvmin/solver/solver.h"

namespace gtvmin {

/// A network that exists only in this process. Time runs in ticks; everything is drawn from the seed.
struct SimulatedNetwork {
  int shards = 1;
  std::uint64_t seed = 0;
  double loss = 0;         ///< probability that a message or its acknowledgement never arrives, in [0, 1)
  double duplication = 0;  ///< probability that a message arrives twice
  int longest_delay = 0;   ///< a message takes 1 … 1 + longest_delay ticks, so messages overtake each other
};

struct NetworkReport {
  std::int64_t messages = 0;         ///< sent, retransmissions included
  std::int64_t retransmissions = 0;  ///< sent again because no acknowledgement came in time
  std::int64_t ignored = 0;          ///< arrived twice or too late, and were recognised by their iteration number
  std::int64_t numbers = 0;          ///< parameters that travelled
};

/// Joins the shards of one process by messages over a simulated network. In every iteration a shard sends each
/// neighbouring shard the parameters of the boundary nodes it sees, again and again until they are acknowledged.
/// Messages carry their iteration number, so late and repeated ones do no harm: whatever the network does, the
/// parameters that arrive are the same.
class SimulatedExchange final : public Exchange {
 public:
  SimulatedExchange(std::span<const Shard> shards, const SimulatedNetwork& network);

  [[nodiscard]] Status swap(std::span<Shard> shards) override;
  [[nodiscard]] Result<SteeringSums> sum(std::span<const SteeringSums> parts) override;
  [[nodiscard]] const NetworkReport& report() const { return report_; }

 private:
  /// The columns that one shard sends another, in the order of global node ids.
  struct Link {
    int from = 0;
    int to = 0;
    std::vector<Index> columns_from;
    std::vector<Index> columns_to;
    bool received = false;      // in the present iteration
    bool acknowledged = false;  // as far as the sender knows
    std::int64_t resend_at = 0;
  };
  struct Message {
    std::int64_t due = 0;
    std::size_t link = 0;
    std::int64_t iteration = 0;
    bool acknowledgement = false;
    Matrix parameters;
  };

  void send(Message message);
  void transmit(std::size_t link, std::span<const Shard> shards);
  void receive(const Message& message, std::span<Shard> shards);
  [[nodiscard]] bool settled() const;

  SimulatedNetwork network_;
  Rng rng_;
  std::vector<Link> links_;
  std::deque<Message> in_flight_;
  std::int64_t tick_ = 0;
  std::int64_t iteration_ = 0;
  NetworkReport report_;
};

/// solve() with the nodes split into network.shards ranges of nearly equal work. Fails if the network's numbers make no
/// sense. `report`, if given, says what travelled.
[[nodiscard]] Result<SolveResult> solve_simulated(const Problem& problem, const SolverOptions& options,
                                                  const SimulatedNetwork& network, const SolveContext& context = {},
                                                  NetworkReport* report = nullptr);

}  // namespace gtvmin
