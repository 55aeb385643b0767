#pragma once

#include <span>

#include "gtvmin/base/result.h"
#include "gtvmin/solver/shard.h"
#include "gtvmin/solver/steering.h"

namespace gtvmin {

/// Joins the shards of one problem. The solver does not know which exchange it runs on; a process that holds one shard
/// of many passes just that one. An error of an exchange ends the run.
class Exchange {
 public:
  Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  virtual ~Exchange() = default;

  /// Called as soon as the owned boundary nodes of w_next are computed: what neighbours wait for may leave now, while
  /// the other nodes are computed. swap() follows.
  virtual void send(std::span<const Shard> /*shards*/) {}
  /// Called now and then between send() and swap(), by the same thread: what is under way may get on.
  virtual void progress() {}
  /// Fills every ghost column of w_next with what its owner has computed: the only thing that travels in an iteration.
  [[nodiscard]] virtual Status swap(std::span<Shard> shards) = 0;
  /// Called once nodes and edges of the shards have been updated: the iteration is over.
  virtual void settle(std::span<Shard> /*shards*/) {}
  /// Adds up what all shards contribute; everyone gets the same bits. `parts` has one entry per shard held here.
  [[nodiscard]] virtual Result<SteeringSums> sum(std::span<const SteeringSums> parts) = 0;
};

/// One process that holds the whole problem as one shard.
class SelfExchange final : public Exchange {
 public:
  [[nodiscard]] Status swap(std::span<Shard> /*shards*/) override { return Unit{}; }
  [[nodiscard]] Result<SteeringSums> sum(std::span<const SteeringSums> parts) override { return parts.front(); }
};

}  // namespace gtvmin
