#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
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
  bool is_parent = false;      ///< in the tree over which sums travel, if they do
  bool is_child = false;
};
[[nodiscard]] std::vector<SiteNeighbour> site_neighbours(const Federation& federation, SiteId site);
/// What may come over the links.
[[nodiscard]] std::vector<LinkSpec> link_specs(const Federation& federation,
                                               const std::vector<SiteNeighbour>& neighbours, Index dimension);

/// Joins the shard of one site with those of the others by messages over its links. In every iteration each neighbour
/// gets the parameters of the nodes it sees; sums go up a tree of the sites and come down as totals. In a federation
/// without sums there is no tree: sum() gives this site's own part, and nothing travels. Sums also tell how many
/// neighbours sites have given up, so that everyone knows whose tree is still whole.
class SiteExchange final : public Exchange {
 public:
  struct Options {
    std::function<void(const std::string&)> log;
    /// Asked several times a second while waiting; true ends the run.
    std::function<bool()> interrupted;
    /// Seconds after which a neighbour that is away is given up: its last parameters stand in, and sums do without it
    /// and all who were behind it in the tree. Not given: the site waits for as long as it takes.
    std::optional<double> patience;
    /// What becomes of such a neighbour, for people.
    std::string consequence = "this site goes on without it";
    /// Turns the update of a node into what neighbours get of it, once per iteration. Both ends of an edge compute its
    /// flow from what was sent; the next update of the node starts from its own parameters, which nobody else has. Not
    /// for over-relaxed methods.
    std::function<void(std::uint64_t iteration, NodeId node, VectorRef update)> release;
  };

  /// A neighbour that was given up, or not yet.
  struct Absence {
    std::uint64_t since = 0;      ///< iteration; 0: it takes part
    std::string last_parameters;  ///< its last message, as long as somebody may be given up; empty before the first
  };

  /// `iterations` and `sums` that a checkpoint has seen.
  SiteExchange(const Shard& shard, std::vector<SiteNeighbour> neighbours, SiteLinks& links, Options options,
               std::uint64_t iterations = 0, std::uint64_t sums = 0);

  [[nodiscard]] Status swap(std::span<Shard> shards) override;
  void settle(std::span<Shard> shards) override;
  [[nodiscard]] Result<SteeringSums> sum(std::span<const SteeringSums> parts) override;

  [[nodiscard]] std::uint64_t iterations() const { return iterations_; }
  [[nodiscard]] std::uint64_t sums() const { return sums_; }
  /// What neighbours have of this site's nodes, where it is not what the site has itself.
  using Sent = std::map<NodeId, Vector>;
  [[nodiscard]] const Sent& sent() const { return sent_; }
  /// Somebody is missing: this site has given up a neighbour, or sums said that another site has.
  [[nodiscard]] bool is_inexact() const;
  /// One per link.
  [[nodiscard]] const std::vector<Absence>& absences() const { return absences_; }
  /// The shard is another one now, which may lack ghosts of neighbours that were given up.
  void rejoin(const Shard& shard);
  /// As a checkpoint says.
  void restore_absences(std::vector<Absence> absences);
  void restore_sent(Sent sent) { sent_ = std::move(sent); }

 private:
  struct Columns {
    std::vector<Index> ours;
    std::vector<Index> theirs;
  };

  /// Waits for as long as it takes, and says in the log for whom and why. Nothing if the neighbour is given up.
  [[nodiscard]] Result<std::optional<std::string>> receive(std::size_t link, const MessageHeader& due);
  /// The same until something may be sent to a neighbour, for which no more than so much is kept.
  [[nodiscard]] Status wait_for_room(std::size_t link);
  /// Until attempt(), which takes some time, succeeds or the neighbour is given up. `slow` says what a neighbour that
  /// is connected has not done.
  template <class Attempt>
  [[nodiscard]] Status wait_for(std::size_t link, std::string_view slow, const Attempt& attempt);
  [[nodiscard]] bool is_absent(std::size_t link) const { return absences_[link].since > 0; }
  [[nodiscard]] Index absent_count() const;
  [[nodiscard]] bool patience_is_over(const LinkReport& report) const;
  void give_up(std::size_t link);
  [[nodiscard]] std::string absence_text(std::uint64_t since) const;
  /// Somebody without whom this site cannot go on will have nothing to do with it any more.
  [[nodiscard]] Status check_refusals() const;
  /// Checks what is about to be sent, and releases it.
  [[nodiscard]] Status release_updates(Shard& shard);
  void release_update(Shard& shard, Index column);
  /// Parameters of this iteration, or the last known.
  [[nodiscard]] Status fill_ghosts(std::size_t link, Shard& shard);

  std::vector<SiteNeighbour> neighbours_;
  std::vector<Columns> columns_;
  std::vector<Absence> absences_;
  Sent sent_;
  std::map<Index, Vector> own_updates_;  // of this iteration, by columns: what was released
  SiteLinks& links_;
  Options options_;
  std::uint64_t iterations_;
  std::uint64_t sums_;
  bool absence_elsewhere_ = false;
};

}  // namespace gtvmin
