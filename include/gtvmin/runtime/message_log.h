#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

namespace gtvmin {

// A link between two sites is an ordered log. The computation is deterministic, so what one site ever sends another is
// a fixed sequence of messages 0, 1, 2, …, whichever incarnation of the site sends them. A site that went down computes
// the same messages again; a connection that broke goes on at the number that the receiver wants. Parameters have fixed
// bits. Of sums all have that decide something; seconds are those of the clock, and a neighbour has used those of one
// incarnation or of another. No site of a federation has a time limit, so nothing hangs on them.

/// What a site sends to one neighbour: keeps the messages that the neighbour may still ask for.
class OutLog {
 public:
  /// A log that goes on after `end` messages, the last of which are `kept`; the neighbour never asks for those before.
  explicit OutLog(std::uint64_t end = 0, std::deque<std::string> kept = {});

  /// The number of the next message.
  [[nodiscard]] std::uint64_t end() const { return end_; }
  /// The first message that is kept.
  [[nodiscard]] std::uint64_t first() const { return end_ - kept_.size(); }
  [[nodiscard]] const std::deque<std::string>& kept() const { return kept_; }
  [[nodiscard]] std::size_t kept_bytes() const { return kept_bytes_; }
  [[nodiscard]] const std::string& at(std::uint64_t number) const;
  /// All messages so far are covered.
  [[nodiscard]] bool all_covered() const { return covered_ >= end_; }

  void append(std::string message);
  /// The neighbour never asks for messages below `number` again. That may lie ahead: a site that went down computes
  /// messages again which its neighbour has long had.
  void cover(std::uint64_t number);

 private:
  std::uint64_t end_;
  std::uint64_t covered_ = 0;
  std::deque<std::string> kept_;
  std::size_t kept_bytes_ = 0;
};

/// What a site has got from one neighbour and not yet used.
class InLog {
 public:
  enum class Offer {
    kAccepted,
    kRepeated,  ///< it is here already, or has been used
    kAhead,     ///< messages before it are missing
    kFull       ///< as many wait as may
  };

  explicit InLog(std::size_t most_waiting, std::uint64_t used = 0) : most_waiting_(most_waiting), used_(used) {}

  /// The first message that is not here.
  [[nodiscard]] std::uint64_t next() const { return used_ + waiting_.size(); }
  /// How many messages have been used.
  [[nodiscard]] std::uint64_t used() const { return used_; }
  [[nodiscard]] bool empty() const { return waiting_.empty(); }
  [[nodiscard]] const std::string& front() const { return waiting_.front(); }

  /// What would become of a message with this number.
  [[nodiscard]] Offer classify(std::uint64_t number) const;
  Offer offer(std::uint64_t number, std::string message);
  std::string take();
  /// Unused messages are wanted again.
  void forget_waiting() { waiting_.clear(); }

 private:
  std::size_t most_waiting_;
  std::uint64_t used_;
  std::deque<std::string> waiting_;
};

}  // namespace gtvmin
