#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "gtvmin/runtime/site_links.h"
#include "quiet_log.h"

namespace gtvmin {

class Stream;

/// Keeps the streams of a site: one per neighbour, dialled by whichever side can, watched, and dialled again with
/// growing pauses when it is lost. Knows nothing of gRPC. Thread-safe; never called with the lock of a stream held.
class Switchboard {
 public:
  struct Options {
    std::string site;
    std::string digest;                ///< of the federation file
    bool can_be_called = true;         ///< the site listens
    std::vector<bool> can_be_dialled;  ///< one per link
    double heartbeat = 2;
    double silence = 10;
    double longest_backoff = 2;
    std::function<void(const std::string&)> log;
    /// Starts a stream to a neighbour.
    std::function<std::shared_ptr<Stream>(std::size_t link)> dial;
    /// Called some times a second.
    std::function<void()> look_after;
  };

  Switchboard(Options options, SiteLinks& links);
  Switchboard(const Switchboard&) = delete;
  Switchboard& operator=(const Switchboard&) = delete;
  ~Switchboard();

  /// Starts to dial and to watch.
  void begin();
  /// Ends all streams after what has been written; false if some still are after `seconds`.
  bool end(double seconds);
  /// The same, whatever is being written.
  bool hang_up_all(double seconds);

  [[nodiscard]] SiteLinks& links() { return links_; }
  [[nodiscard]] const std::string& site() const { return options_.site; }
  [[nodiscard]] const std::string& digest() const { return options_.digest; }
  /// A number that was drawn when this site started.
  [[nodiscard]] std::uint64_t incarnation() const { return incarnation_; }
  [[nodiscard]] double seconds() const { return links_.seconds(); }

  /// Somebody has called and not yet said who it is.
  void add_stranger(const std::shared_ptr<Stream>& stream);
  /// The other side has said hello. The error says why another stream is kept instead.
  [[nodiscard]] Status adopt(const std::shared_ptr<Stream>& stream, std::size_t link, std::uint64_t incarnation);
  /// gRPC has forgotten the stream, which must not be destroyed on this thread: gRPC cannot end a channel on threads of
  /// its own. An empty reason: both sides wanted it.
  void gone(std::shared_ptr<Stream> stream, const std::string& reason);
  /// A message came again, which may be a broken connection's doing or a replay. May be called with any lock held.
  void note_repeat(std::size_t link, std::uint64_t number);
  /// Streams live as long as gRPC or the switchboard needs them; it must outlive them.
  void count_streams(int change);

 private:
  /// What this site does about one neighbour.
  struct Line {
    std::shared_ptr<Stream> active;
    std::shared_ptr<Stream> dialling;
    double dial_at = 0;
    double backoff = 0;
    double active_since = 0;
    std::string last_logged;
  };

  [[nodiscard]] bool is_preferred(const Stream& stream, std::size_t link) const;
  void schedule_dial(Line& line);
  void dial(std::size_t link);
  void wake(std::size_t link);
  void keep_watch();
  [[nodiscard]] std::vector<std::size_t> lines_to_dial() const;
  [[nodiscard]] std::vector<std::shared_ptr<Stream>> all_streams();
  void bury();
  [[nodiscard]] bool wait_for_streams(double most);

  Options options_;
  SiteLinks& links_;
  QuietLog log_;
  std::uint64_t incarnation_;
  std::thread timer_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::minstd_rand random_;
  std::vector<Line> lines_;
  std::vector<std::shared_ptr<Stream>> strangers_;
  std::vector<std::shared_ptr<Stream>> buried_;
  int streams_ = 0;
  bool stopping_ = false;
};

}  // namespace gtvmin
