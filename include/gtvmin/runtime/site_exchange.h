#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gtvmin/federation/federation.h"
#include "gtvmin/runtime/site_links.h"
#include "gtvmin/solver/exchange.h"

namespace gtvmin {

/// What a site has to do with its neighbours, one entry per link.
struct SiteNeighbour {
  SiteId site = 0;
  std::vector<NodeId> ours;    ///< nodes whose parameters go there, ascending
  std::vector<NodeId> theirs;  ///< nodes whose parameters come from there, ascending
  bool is_parent = false;      ///< in the tree over which sums travel
  bool is_child = false;
};
[[nodiscard]] std::vector<SiteNeighbour> site_neighbours(const Federation& federation, SiteId site);
/// What may come over the links.
[[nodiscard]] std::vector<LinkSpec> link_specs(const Federation& federation,
                                               const std::vector<SiteNeighbour>& neighbours, Index dimension);

/// Joins the shard of one site with those of the others by messages over its links. In every iteration each neighbour
/// gets the parameters of the nodes it sees; sums go up a tree of the sites and come down as totals.
class SiteExchange final : public Exchange {
 public:
  struct Options {
    std::function<void(const std::string&)> log;
    /// Asked several times a second while waiting; true ends the run.
    std::function<bool()> interrupted;
  };

  /// `iterations` and `sums` that a checkpoint has seen.
  SiteExchange(const Shard& shard, std::vector<SiteNeighbour> neighbours, SiteLinks& links, Options options,
               std::uint64_t iterations = 0, std::uint64_t sums = 0);

  [[nodiscard]] Status swap(std::span<Shard> shards) override;
  [[nodiscard]] Result<SteeringSums> sum(std::span<const SteeringSums> parts) override;

  [[nodiscard]] std::uint64_t iterations() const { return iterations_; }
  [[nodiscard]] std::uint64_t sums() const { return sums_; }

 private:
  struct Columns {
    std::vector<Index> ours;
    std::vector<Index> theirs;
  };

  /// Waits for as long as it takes, and says in the log for whom and why.
  [[nodiscard]] Result<std::string> receive(std::size_t link, const MessageHeader& due);

  std::vector<SiteNeighbour> neighbours_;
  std::vector<Columns> columns_;
  SiteLinks& links_;
  Options options_;
  std::uint64_t iterations_;
  std::uint64_t sums_;
};

}  // namespace gtvmin
