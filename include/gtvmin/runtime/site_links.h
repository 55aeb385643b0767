#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gtvmin/base/result.h"
#include "gtvmin/runtime/message_log.h"
#include "gtvmin/runtime/site_messages.h"

namespace gtvmin {

/// A neighbour, and what may come from it.
struct LinkSpec {
  std::string site;
  LinkShape shape;
};

/// Where a link stands; a checkpoint keeps it.
struct LinkState {
  std::uint64_t used = 0;  ///< messages of the neighbour, among them …
  std::uint64_t iterations = 0;
  std::uint64_t sums = 0;
  std::uint64_t sent = 0;        ///< messages to the neighbour, the last of which …
  std::deque<std::string> kept;  ///< … it may still ask for
};

/// What is known about a link, for people.
struct LinkReport {
  std::string site;
  bool connected = false;
  bool finished = false;  ///< the neighbour needs nothing more
  double changed_at = 0;  ///< when it was connected or lost, on the clock of the links
  /// How long it has been away since its last message; connections that lasted less than that do not count.
  double away_seconds = 0;
  double waiting_since = 0;  ///< when this site began to wait for a message; 0: it does not
  std::string last_problem;
  std::string abandoned;         ///< why and since when this site goes on without it; empty: it does not
  std::string refused_for_good;  ///< why that neighbour will never talk to this site again; empty: it has not said so
  std::uint64_t kept_messages = 0;
  std::int64_t connections = 0;
  std::int64_t messages_sent = 0;
  std::int64_t messages_received = 0;
  std::int64_t retransmissions = 0;  ///< messages sent again after a connection broke
  std::int64_t refusals = 0;
  std::int64_t repeats = 0;     ///< messages that came again, and were ignored
  std::int64_t bytes_sent = 0;  ///< of frames, without what encryption adds
  std::int64_t bytes_received = 0;
  std::int64_t waits = 0;
  double waited_seconds = 0;
};

/// The links of one site to its neighbours: what joins the thread that computes with a transport that has threads of
/// its own. The transport may lose, repeat and reconnect as it likes; what comes out is each neighbour's messages in
/// their order, checked. Thread-safe.
class SiteLinks {
 public:
  struct Options {
    std::function<double()> seconds;  ///< a clock that is never set back
    /// Messages of neighbours are covered when a checkpoint says so, not when they arrive.
    bool restartable = false;
    std::size_t most_waiting = 64;  ///< messages of a neighbour that wait to be used
    /// Bytes of messages that are kept for a neighbour which has not covered them, before more are sent.
    std::size_t most_kept = std::numeric_limits<std::size_t>::max();
  };

  SiteLinks(const std::vector<LinkSpec>& specs, Options options);
  /// With what a checkpoint says, one entry per link.
  SiteLinks(std::vector<LinkSpec> specs, Options options, std::vector<LinkState> states);

  [[nodiscard]] std::size_t size() const { return links_.size(); }
  [[nodiscard]] const std::string& site(std::size_t link) const { return links_[link].spec.site; }
  [[nodiscard]] std::optional<std::size_t> find(std::string_view site) const;
  [[nodiscard]] double seconds() const { return options_.seconds(); }

  // The side that computes.

  void send(std::size_t link, std::string message);
  /// Waits until no more is kept for a neighbour than may be; false after `seconds`, or once stop() has been called.
  [[nodiscard]] bool wait_for_room(std::size_t link, double seconds);
  /// Waits for the next message of a neighbour, which must be the one due; any other is refused, and wanted again.
  /// Nothing after `seconds`, or once stop() has been called.
  [[nodiscard]] std::optional<std::string> receive(std::size_t link, const MessageHeader& due, double seconds);
  /// For a checkpoint. To be called by the thread that computes, between two messages.
  [[nodiscard]] std::vector<LinkState> states() const;
  /// A checkpoint with these states is safe: neighbours may forget what it covers.
  void cover(const std::vector<LinkState>& states);
  /// All that was to be computed is computed and safe.
  void finish();
  /// Waits until every neighbour has covered everything and knows that this site has finished; false after `seconds`.
  [[nodiscard]] bool wait_until_covered(double seconds);
  /// This site goes on without that neighbour, for good; who asks is told the reason.
  void abandon(std::size_t link, const std::string& reason);
  /// Nobody waits any more.
  void stop();
  [[nodiscard]] bool stopped() const;
  [[nodiscard]] std::vector<LinkReport> reports() const;

  // The side that transports.

  /// Called without a lock whenever a link has something new to write or room to read, or its next message is waited
  /// for.
  void set_wake(std::function<void(std::size_t link)> wake);

  /// What a stream writes next.
  struct Cursor {
    std::uint64_t number = 0;
    std::uint32_t chunk = 0;
  };
  struct Outgoing {
    std::uint64_t covered = 0;
    bool finished = false;
    bool has_data = false;
    std::uint64_t number = 0;
    std::uint32_t chunk = 0;
    std::uint32_t chunks = 0;
    std::string bytes;
  };
  /// A neighbour opens a stream and wants messages from `next` on. Fails if an earlier incarnation of it has covered
  /// them: it has forgotten that. An incarnation is a number that a site draws when it starts.
  [[nodiscard]] Status open(std::size_t link, std::uint64_t next, std::uint64_t incarnation);
  void opened(std::size_t link, std::uint64_t incarnation);
  void closed(std::size_t link, std::string reason);
  /// Something that was refused without a stream of the neighbour being open.
  void problem(std::size_t link, std::string reason);
  /// The neighbour has said that it will never talk to this site again.
  void refused_for_good(std::size_t link, std::string reason);

  [[nodiscard]] std::uint64_t next(std::size_t link) const;
  [[nodiscard]] bool has_room(std::size_t link) const;
  /// The next chunk, or what `idle` streams have to say; advances the cursor.
  [[nodiscard]] std::optional<Outgoing> outgoing(std::size_t link, Cursor& cursor, bool heartbeat);
  void written(std::size_t link, const Outgoing& frame, std::size_t bytes);
  /// A whole message; whether it is new. What has been here before is ignored; the error says why it is refused.
  [[nodiscard]] Result<bool> deliver(std::size_t link, std::uint64_t number, std::string message);
  void received(std::size_t link, std::size_t bytes, std::uint64_t covered, bool finished);
  [[nodiscard]] std::size_t longest_message(std::size_t link) const { return links_[link].longest; }
  /// Whether a stream of this link that is open since before a message was refused has to be closed, and why.
  [[nodiscard]] std::optional<std::string> refused_since(std::size_t link, std::int64_t refusals) const;
  [[nodiscard]] std::int64_t refusals(std::size_t link) const;
  /// The neighbour needs the link no more: that it hangs up is no news.
  [[nodiscard]] bool over(std::size_t link) const;
  /// One side at least may still need something of the other: a stream that is lost has to be dialled again.
  [[nodiscard]] bool is_needed(std::size_t link) const;

 private:
  struct Link {
    LinkSpec spec;
    OutLog out;
    InLog in;
    MessageOrder used_order;  // of messages used
    MessageOrder order;       // of messages used and waiting
    std::size_t longest = 0;
    std::uint64_t covered = 0;       // what the neighbour may forget
    std::uint64_t told_covered = 0;  // what it has been told
    bool told_finished = false;
    std::uint64_t sent_before = 0;  // messages below have been written to some stream
    std::uint64_t incarnation = 0;  // of the neighbour, as far as streams have been opened
    std::string refusal;            // the last one, of a message that waited
    double away = 0;                // seconds, up to the last change
    LinkReport report;
  };

  void refuse_waiting(Link& link, std::string reason);
  void note_change(Link& link, bool connected);
  void wake(std::size_t link);
  [[nodiscard]] bool is_over(const Link& link) const;

  Options options_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Link> links_;
  bool finished_ = false;
  bool stopped_ = false;
  std::optional<std::size_t> awaited_;  // the link that receive() sleeps for
  std::optional<std::size_t> full_;     // the link that wait_for_room() sleeps for
  std::function<void(std::size_t)> wake_;
};

/// Chunks stay well below the 4 MB that gRPC takes, and short enough to get through slow lines one by one before
/// anybody takes the other side for dead.
constexpr std::size_t kLongestChunk = std::size_t{1} << 15;

}  // namespace gtvmin
