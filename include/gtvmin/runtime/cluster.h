#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gtvmin/base/result.h"
#include "gtvmin/solver/exchange.h"

namespace gtvmin {

/// Of every node, the process that owns it.
using Owners = std::vector<int>;

/// Processes that solve one problem together; this one is one of them. All of them make the same calls in the same
/// order.
class Cluster {
 public:
  Cluster() = default;
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;
  virtual ~Cluster() = default;

  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  /// Who should own which node, so that few edges are cut and everyone has about the same work, which is given per
  /// node.
  [[nodiscard]] virtual Result<Owners> partition(const EmpiricalGraph& graph, std::span<const Index> work) = 0;
  /// Joins the shards of all processes; those held here stay where they are.
  [[nodiscard]] virtual std::unique_ptr<Exchange> join(std::span<Shard> shards, const Owners& owners) = 0;
  /// Rank 0 gets what everyone has, in the order of ranks; the others get nothing.
  [[nodiscard]] virtual Result<std::vector<std::string>> gather(const std::string& bytes) = 0;
  /// Everyone gets what rank 0 has.
  [[nodiscard]] virtual Result<std::string> broadcast(const std::string& bytes) = 0;
};

/// Everyone fails if one does, with the first error in the order of ranks.
[[nodiscard]] Status agree(Cluster& cluster, const Status& mine);

/// A process that is alone.
class SoloCluster final : public Cluster {
 public:
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int size() const override { return 1; }
  [[nodiscard]] Result<Owners> partition(const EmpiricalGraph& graph, std::span<const Index> /*work*/) override {
    return Owners(graph.nodes(), 0);
  }
  [[nodiscard]] std::unique_ptr<Exchange> join(std::span<Shard> /*shards*/, const Owners& /*owners*/) override {
    return std::make_unique<SelfExchange>();
  }
  [[nodiscard]] Result<std::vector<std::string>> gather(const std::string& bytes) override {
    return std::vector<std::string>{bytes};
  }
  [[nodiscard]] Result<std::string> broadcast(const std::string& bytes) override { return bytes; }
};

}  // namespace gtvmin
