#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "gtvmin/runtime/site_links.h"
#include "peer.pb.h"
#include "switchboard.h"

namespace gtvmin {

constexpr std::uint32_t kProtocol = 2;

/// How a stream ends.
enum class Ending {
  kClean,           ///< nothing more is to be said
  kRefused,         ///< what the other side said cannot be taken; it is told why
  kRefusedForGood,  ///< and need not try again
  kCut              ///< at once, whatever is under way
};

/// One stream between two sites, at either end: hello, then chunks of messages, what is covered, heartbeats.
class Stream : public std::enable_shared_from_this<Stream> {
 public:
  explicit Stream(Switchboard& board);
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  virtual ~Stream();

  [[nodiscard]] virtual bool dialled_here() const = 0;
  /// Who is at the other end, for people.
  [[nodiscard]] virtual std::string peer() const = 0;
  /// What the other side has proved to be; empty: nobody yet.
  [[nodiscard]] std::string proved_site() const;
  /// Known once the other side has said hello, or was dialled.
  [[nodiscard]] std::optional<std::size_t> link() const;
  /// Both sides have said hello.
  [[nodiscard]] bool is_open() const;
  /// gRPC has forgotten it.
  [[nodiscard]] bool is_over() const;

  /// Writes what there is to write, reads if there is room.
  void pump();
  /// Ends the stream, whatever is being written.
  void hang_up(const std::string& reason);
  /// Ends the stream after what has been written.
  void close();
  /// Says something after `heartbeat` seconds without a frame written, gives up after `silence` without one read.
  void watch(double heartbeat, double silence);

 protected:
  // What the two ends do differently. All but check_identity are called with the lock held.
  virtual void start_read(wire::Frame& frame) = 0;
  virtual void start_write(const wire::Frame& frame) = 0;
  /// Tells the other side that nothing follows; nothing is being written.
  virtual void end(Ending ending, const std::string& reason) = 0;
  /// Makes outstanding operations fail.
  virtual void cancel() = 0;
  [[nodiscard]] virtual Status check_identity(const std::string& site) const = 0;

  // What gRPC reports. One read and one write at a time.
  void begin(std::optional<std::size_t> link);
  void read_done(bool ok);
  void write_done(bool ok);
  /// `self` is what kept the stream alive for gRPC; after this it may be no more.
  void done(const std::string& status, std::shared_ptr<Stream> self);
  /// What is said of a reason that the other side has given.
  [[nodiscard]] std::string refused_by_it(const std::string& reason, bool for_good);

 private:
  [[nodiscard]] Status take(const wire::Frame& frame);
  [[nodiscard]] Status greet(const wire::Hello& hello);
  [[nodiscard]] Status take_data(const wire::Data& data);
  [[nodiscard]] bool deliver();
  void say_hello();
  void write_next(bool heartbeat);
  void give_up(Ending ending, const std::string& reason);

  Switchboard& board_;
  // Touched by one read after the other.
  wire::Frame in_;
  bool greeted_ = false;
  Ending refusal_ = Ending::kRefused;  // what becomes of the stream if what was read is refused
  std::string assembled_;              // chunks of the message that is coming
  std::uint64_t assembling_ = 0;
  std::uint32_t chunks_ = 0;
  bool whole_ = false;  // the last chunk of it has come

  mutable std::mutex mutex_;  // guards what follows
  std::optional<std::size_t> link_;
  std::string proved_site_;
  wire::Frame out_;
  SiteLinks::Outgoing written_;  // what out_ says
  SiteLinks::Cursor cursor_;
  std::int64_t refusals_ = 0;  // of the link when the stream began
  double last_read_ = 0;       // or when reading began again
  double last_write_ = 0;
  double ended_at_ = 0;
  bool said_hello_ = false;
  bool open_ = false;
  bool reading_ = false;
  bool writing_ = false;
  bool closing_ = false;  // once nothing is being written
  bool ended_ = false;
  Ending ending_ = Ending::kClean;
  bool done_ = false;
  std::string reason_;
};

}  // namespace gtvmin
