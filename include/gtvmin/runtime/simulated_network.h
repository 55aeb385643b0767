#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "gtvmin/base/rng.h"

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
  std::int64_t sums = 0;             ///< those of them that carried sums; the others carried parameters
  std::int64_t retransmissions = 0;  ///< sent again because no acknowledgement came in time
  std::int64_t ignored = 0;          ///< arrived twice or too late, and were recognised by their number
  std::int64_t bytes = 0;            ///< that all messages carried
};

/// Brings messages over a simulated network for certain: each is sent again and again until it is acknowledged.
/// Messages carry the number of their round, so late and repeated ones do no harm.
class SimulatedDelivery {
 public:
  explicit SimulatedDelivery(const SimulatedNetwork& network) : network_(network), rng_(network.seed) {}

  /// One round, in which all these messages travel at once. Returns what has arrived of each.
  [[nodiscard]] std::vector<std::string> deliver(const std::vector<std::string>& messages);

  /// `sums` is left to those who know what they send.
  [[nodiscard]] const NetworkReport& report() const { return report_; }

 private:
  struct Packet {
    std::int64_t due = 0;
    std::int64_t round = 0;
    std::size_t message = 0;
    bool acknowledgement = false;
    std::string content{};
  };
  /// How far a message of the present round is.
  struct Transfer {
    bool received = false;
    bool acknowledged = false;  // as far as the sender knows
    std::int64_t resend_at = 0;
  };

  void post(Packet packet);
  void transmit(std::size_t message, const std::string& content);
  void receive(Packet packet, std::vector<std::string>& arrived);

  SimulatedNetwork network_;
  Rng rng_;
  std::vector<Transfer> transfers_;
  std::deque<Packet> in_flight_;
  std::int64_t tick_ = 0;
  std::int64_t round_ = 0;
  NetworkReport report_;
};

}  // namespace gtvmin
