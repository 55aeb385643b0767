#include "gtvmin/runtime/message_log.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace gtvmin {

OutLog::OutLog(std::uint64_t end, std::deque<std::string> kept) : end_(end), kept_(std::move(kept)) {
  for (const std::string& message : kept_) kept_bytes_ += message.size();
}

const std::string& OutLog::at(std::uint64_t number) const {
  assert(number >= first() && number < end_);
  return kept_[number - first()];
}

void OutLog::append(std::string message) {
  const bool wanted = end_ >= covered_;
  ++end_;
  if (!wanted) return;
  kept_bytes_ += message.size();
  kept_.push_back(std::move(message));
}

void OutLog::cover(std::uint64_t number) {
  covered_ = std::max(covered_, number);
  while (!kept_.empty() && first() < covered_) {
    kept_bytes_ -= kept_.front().size();
    kept_.pop_front();
  }
}

InLog::Offer InLog::classify(std::uint64_t number) const {
  if (number < next()) return Offer::kRepeated;
  if (number > next()) return Offer::kAhead;
  return waiting_.size() < most_waiting_ ? Offer::kAccepted : Offer::kFull;
}

InLog::Offer InLog::offer(std::uint64_t number, std::string message) {
  const Offer outcome = classify(number);
  if (outcome == Offer::kAccepted) waiting_.push_back(std::move(message));
  return outcome;
}

std::string InLog::take() {
  assert(!waiting_.empty());
  std::string message = std::move(waiting_.front());
  waiting_.pop_front();
  ++used_;
  return message;
}

}  // namespace gtvmin
