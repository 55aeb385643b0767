#include "gtvmin/runtime/simulated_network.h"

#include <algorithm>
#include <utility>

namespace gtvmin {

void SimulatedDelivery::post(Packet packet) {
  const int copies = rng_.uniform() < network_.duplication ? 2 : 1;
  for (int copy = 0; copy < copies; ++copy) {
    if (rng_.uniform() < network_.loss) continue;
    packet.due = tick_ + 1 + static_cast<std::int64_t>(rng_.below(network_.longest_delay + 1));
    in_flight_.push_back(packet);
  }
}

void SimulatedDelivery::transmit(std::size_t message, const std::string& content) {
  ++report_.messages;
  report_.bytes += static_cast<std::int64_t>(content.size());
  transfers_[message].resend_at = tick_ + 4 + 2 * network_.longest_delay;
  post({0, round_, message, false, content});
}

void SimulatedDelivery::receive(Packet packet, std::vector<std::string>& arrived) {
  if (packet.round != round_) {
    if (!packet.acknowledgement) ++report_.ignored;
    return;
  }
  Transfer& transfer = transfers_[packet.message];
  if (packet.acknowledgement) {
    transfer.acknowledged = true;
    return;
  }
  if (transfer.received) {
    ++report_.ignored;
  } else {
    transfer.received = true;
    arrived[packet.message] = std::move(packet.content);
  }
  post({0, round_, packet.message, true});
}

std::vector<std::string> SimulatedDelivery::deliver(const std::vector<std::string>& messages) {
  ++round_;
  std::vector<std::string> arrived(messages.size());
  transfers_.assign(messages.size(), {});
  for (std::size_t k = 0; k < messages.size(); ++k) transmit(k, messages[k]);
  const auto settled = [](const Transfer& transfer) { return transfer.received && transfer.acknowledged; };
  while (!std::all_of(transfers_.begin(), transfers_.end(), settled)) {
    ++tick_;
    for (std::size_t waiting = in_flight_.size(); waiting > 0; --waiting) {
      Packet packet = std::move(in_flight_.front());
      in_flight_.pop_front();
      if (packet.due <= tick_) {
        receive(std::move(packet), arrived);
      } else {
        in_flight_.push_back(std::move(packet));
      }
    }
    for (std::size_t k = 0; k < messages.size(); ++k) {
      if (transfers_[k].acknowledged || transfers_[k].resend_at > tick_) continue;
      ++report_.retransmissions;
      transmit(k, messages[k]);
    }
  }
  return arrived;
}

}  // namespace gtvmin
