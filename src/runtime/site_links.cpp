#include "gtvmin/runtime/site_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <limits>
#include <utility>

namespace gtvmin {

SiteLinks::SiteLinks(const std::vector<LinkSpec>& specs, Options options)
    : SiteLinks(specs, std::move(options), std::vector<LinkState>(specs.size())) {}

SiteLinks::SiteLinks(std::vector<LinkSpec> specs, Options options, std::vector<LinkState> states)
    : options_(std::move(options)) {
  assert(specs.size() == states.size());
  links_.reserve(specs.size());
  for (std::size_t k = 0; k < specs.size(); ++k) {
    LinkState& state = states[k];
    const MessageOrder order(state.iterations, state.sums);
    Link link{.spec = std::move(specs[k]),
              .out = OutLog(state.sent, std::move(state.kept)),
              .in = InLog(options_.most_waiting, state.used),
              .used_order = order,
              .order = order,
              .longest = 0,
              .covered = state.used,
              .told_covered = 0,
              .told_finished = false,
              .sent_before = 0,
              .incarnation = 0,
              .refusal = {},
              .away = 0,
              .report = {}};
    link.longest = gtvmin::longest_message(link.spec.shape);
    link.report.site = link.spec.site;
    link.report.changed_at = options_.seconds();
    links_.push_back(std::move(link));
  }
}

std::optional<std::size_t> SiteLinks::find(std::string_view site) const {
  for (std::size_t k = 0; k < links_.size(); ++k) {
    if (links_[k].spec.site == site) return k;
  }
  return std::nullopt;
}

void SiteLinks::send(std::size_t link, std::string message) {
  {
    const std::lock_guard lock(mutex_);
    links_[link].out.append(std::move(message));
  }
  wake(link);
}

bool SiteLinks::wait_for_room(std::size_t link, double seconds) {
  std::unique_lock lock(mutex_);
  const OutLog& out = links_[link].out;
  const auto has_room = [&] { return out.kept_bytes() < options_.most_kept; };
  if (has_room()) return true;
  double& waiting_since = links_[link].report.waiting_since;
  if (waiting_since == 0) waiting_since = options_.seconds();
  full_ = link;
  lock.unlock();
  wake(link);  // what says that there is room may wait to be read
  lock.lock();
  changed_.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return stopped_ || has_room(); });
  full_.reset();
  if (has_room()) waiting_since = 0;
  return has_room();
}

std::optional<std::string> SiteLinks::receive(std::size_t link, const MessageHeader& due, double seconds) {
  std::unique_lock lock(mutex_);
  Link& from = links_[link];
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  const double began = options_.seconds();
  std::optional<std::string> message;
  while (!message && !stopped_) {
    if (!from.in.empty()) {
      const MessageHeader header = read_header(from.in.front());
      if (header.kind == due.kind && header.round == due.round) {
        message = from.in.take();
        [[maybe_unused]] const Status counted = from.used_order.advance(header);
        assert(counted);
        if (!options_.restartable) from.covered = from.in.used();
        break;
      }
      refuse_waiting(from,
                     fmt::format("received kind {} round {}, expected kind {} round {}", static_cast<int>(header.kind),
                                 header.round, static_cast<int>(due.kind), due.round));
      lock.unlock();
      wake(link);
      lock.lock();
      continue;
    }
    if (from.report.waiting_since == 0) {
      from.report.waiting_since = began;
      ++from.report.waits;
      lock.unlock();
      wake(link);  // the transport may wait to be asked
      lock.lock();
      continue;
    }
    awaited_ = link;
    const bool too_late = changed_.wait_until(lock, deadline) == std::cv_status::timeout;
    awaited_.reset();
    if (too_late && from.in.empty()) break;
  }
  if (from.report.waiting_since != 0) {
    from.report.waited_seconds += options_.seconds() - began;
    if (message) from.report.waiting_since = 0;
  }
  const bool made_room = message && from.in.next() + 1 - from.in.used() >= options_.most_waiting;
  lock.unlock();
  if (made_room) wake(link);
  return message;
}

void SiteLinks::refuse_waiting(Link& link, std::string reason) {
  link.in.forget_waiting();
  link.order = link.used_order;
  link.refusal = std::move(reason);
  ++link.report.refusals;
}

std::vector<LinkState> SiteLinks::states() const {
  const std::lock_guard lock(mutex_);
  std::vector<LinkState> states;
  states.reserve(links_.size());
  for (const Link& link : links_) {
    states.push_back({.used = link.in.used(),
                      .iterations = link.used_order.iterations(),
                      .sums = link.used_order.sums(),
                      .sent = link.out.end(),
                      .kept = link.out.kept()});
  }
  return states;
}

void SiteLinks::cover(const std::vector<LinkState>& states) {
  {
    const std::lock_guard lock(mutex_);
    for (std::size_t k = 0; k < links_.size(); ++k) links_[k].covered = std::max(links_[k].covered, states[k].used);
  }
  for (std::size_t k = 0; k < links_.size(); ++k) wake(k);
}

void SiteLinks::finish() {
  {
    const std::lock_guard lock(mutex_);
    finished_ = true;
    for (Link& link : links_) link.covered = link.in.used();
  }
  for (std::size_t k = 0; k < links_.size(); ++k) wake(k);
}

bool SiteLinks::is_over(const Link& link) const {
  if (!link.report.abandoned.empty()) return true;
  const bool gone = link.report.finished && !link.report.connected;
  return finished_ && link.out.all_covered() && (link.told_finished || gone);
}

bool SiteLinks::over(std::size_t link) const {
  const std::lock_guard lock(mutex_);
  return is_over(links_[link]) || links_[link].report.finished;
}

bool SiteLinks::is_needed(std::size_t link) const {
  const std::lock_guard lock(mutex_);
  return !is_over(links_[link]) && !(finished_ && links_[link].report.finished);
}

bool SiteLinks::wait_until_covered(double seconds) {
  std::unique_lock lock(mutex_);
  const auto all_over = [&] {
    return stopped_ || std::all_of(links_.begin(), links_.end(), [&](const Link& link) { return is_over(link); });
  };
  return changed_.wait_for(lock, std::chrono::duration<double>(seconds), all_over);
}

void SiteLinks::abandon(std::size_t link, const std::string& reason) {
  {
    const std::lock_guard lock(mutex_);
    Link& lost = links_[link];
    lost.out.cover(std::numeric_limits<std::uint64_t>::max());
    lost.report.abandoned = reason;
    lost.report.waiting_since = 0;
    refuse_waiting(lost, reason);
  }
  wake(link);
}

void SiteLinks::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

bool SiteLinks::stopped() const {
  const std::lock_guard lock(mutex_);
  return stopped_;
}

std::vector<LinkReport> SiteLinks::reports() const {
  const std::lock_guard lock(mutex_);
  std::vector<LinkReport> reports;
  reports.reserve(links_.size());
  for (const Link& link : links_) {
    reports.push_back(link.report);
    reports.back().kept_messages = link.out.kept().size();
    reports.back().away_seconds = link.away + (link.report.connected ? 0 : options_.seconds() - link.report.changed_at);
  }
  return reports;
}

void SiteLinks::set_wake(std::function<void(std::size_t)> wake) {
  const std::lock_guard lock(mutex_);
  wake_ = std::move(wake);
}

void SiteLinks::wake(std::size_t link) {
  std::function<void(std::size_t)> wake;
  {
    const std::lock_guard lock(mutex_);
    wake = wake_;
  }
  if (wake) wake(link);
}

Status SiteLinks::open(std::size_t link, std::uint64_t next, std::uint64_t incarnation) {
  const std::lock_guard lock(mutex_);
  const Link& to = links_[link];
  if (!to.report.abandoned.empty()) return runtime_failure(to.report.abandoned);
  // The same incarnation asked before it got them over another stream.
  if (next < to.out.first() && incarnation != to.incarnation) {
    return runtime_failure(fmt::format(
        "it requests message {}, although it released all below {}: it has lost its checkpoint", next, to.out.first()));
  }
  return Unit{};
}

/// A neighbour that keeps coming and going without a message is away, whatever it says in between.
void SiteLinks::note_change(Link& link, bool connected) {
  const double now = options_.seconds();
  const double lasted = now - link.report.changed_at;
  if (!link.report.connected) {
    link.away += lasted;
  } else if (lasted > link.away) {
    link.away = 0;
  }
  link.report.connected = connected;
  link.report.changed_at = now;
}

void SiteLinks::opened(std::size_t link, std::uint64_t incarnation) {
  const std::lock_guard lock(mutex_);
  links_[link].incarnation = incarnation;
  // What was written to another stream may never have arrived.
  links_[link].told_covered = 0;
  links_[link].told_finished = false;
  note_change(links_[link], true);
  ++links_[link].report.connections;
  changed_.notify_all();
}

void SiteLinks::closed(std::size_t link, std::string reason) {
  const std::lock_guard lock(mutex_);
  note_change(links_[link], false);
  links_[link].report.last_problem = std::move(reason);
  changed_.notify_all();
}

void SiteLinks::problem(std::size_t link, std::string reason) {
  const std::lock_guard lock(mutex_);
  links_[link].report.last_problem = std::move(reason);
}

void SiteLinks::refused_for_good(std::size_t link, std::string reason) {
  const std::lock_guard lock(mutex_);
  links_[link].report.refused_for_good = std::move(reason);
}

std::uint64_t SiteLinks::next(std::size_t link) const {
  const std::lock_guard lock(mutex_);
  return links_[link].in.next();
}

bool SiteLinks::has_room(std::size_t link) const {
  const std::lock_guard lock(mutex_);
  const InLog& in = links_[link].in;
  return in.classify(in.next()) == InLog::Offer::kAccepted;
}

std::optional<SiteLinks::Outgoing> SiteLinks::outgoing(std::size_t link, Cursor& cursor, bool heartbeat) {
  const std::lock_guard lock(mutex_);
  const Link& to = links_[link];
  Outgoing frame{.covered = to.covered,
                 .finished = finished_,
                 .has_data = false,
                 .number = 0,
                 .chunk = 0,
                 .chunks = 0,
                 .bytes = {}};
  if (cursor.number < to.out.first()) cursor = {to.out.first(), 0};
  if (cursor.number < to.out.end()) {
    const std::string& message = to.out.at(cursor.number);
    const std::size_t chunks = std::max<std::size_t>(1, (message.size() + kLongestChunk - 1) / kLongestChunk);
    frame.has_data = true;
    frame.number = cursor.number;
    frame.chunk = cursor.chunk;
    frame.chunks = static_cast<std::uint32_t>(chunks);
    frame.bytes = message.substr(cursor.chunk * kLongestChunk, kLongestChunk);
    cursor = cursor.chunk + 1 < chunks ? Cursor{cursor.number, cursor.chunk + 1} : Cursor{cursor.number + 1, 0};
    return frame;
  }
  // What arrives is covered at once where nothing is kept for a restart; that can wait for the next message or
  // heartbeat.
  const bool news = (options_.restartable && to.covered > to.told_covered) || (finished_ && !to.told_finished);
  if (news || heartbeat) return frame;
  return std::nullopt;
}

void SiteLinks::written(std::size_t link, const Outgoing& frame, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  Link& to = links_[link];
  to.told_covered = std::max(to.told_covered, frame.covered);
  to.told_finished = to.told_finished || frame.finished;
  to.report.bytes_sent += static_cast<std::int64_t>(bytes);
  if (frame.has_data && frame.chunk + 1 == frame.chunks) {
    ++to.report.messages_sent;
    if (frame.number < to.sent_before) ++to.report.retransmissions;
    to.sent_before = std::max(to.sent_before, frame.number + 1);
  }
  if (frame.finished) changed_.notify_all();
}

Result<bool> SiteLinks::deliver(std::size_t link, std::uint64_t number, std::string message) {
  const Result<MessageHeader> header = check_message(message, links_[link].spec.shape);
  std::unique_lock lock(mutex_);
  Link& from = links_[link];
  if (!header) {
    ++from.report.refusals;
    return header.error();
  }
  switch (from.in.classify(number)) {
    case InLog::Offer::kRepeated:
      ++from.report.repeats;
      return false;
    case InLog::Offer::kAhead:
    case InLog::Offer::kFull:
      ++from.report.refusals;
      return bad_input(fmt::format("received message {}, expected {}", number, from.in.next()));
    case InLog::Offer::kAccepted:
      break;
  }
  if (Status in_order = from.order.advance(*header); !in_order) {
    ++from.report.refusals;
    return in_order.error();
  }
  from.in.offer(number, std::move(message));
  ++from.report.messages_received;
  from.away = 0;
  // Who waits for another neighbour sleeps on; who wakes up finds the lock free.
  const bool awaited = awaited_ == link;
  lock.unlock();
  if (awaited) changed_.notify_all();
  return true;
}

void SiteLinks::received(std::size_t link, std::size_t bytes, std::uint64_t covered, bool finished) {
  const std::lock_guard lock(mutex_);
  Link& from = links_[link];
  from.report.bytes_received += static_cast<std::int64_t>(bytes);
  from.out.cover(covered);
  from.report.finished = from.report.finished || finished;
  if (finished_ || full_ == link) changed_.notify_all();
}

std::optional<std::string> SiteLinks::refused_since(std::size_t link, std::int64_t refusals) const {
  const std::lock_guard lock(mutex_);
  const Link& from = links_[link];
  if (from.report.refusals == refusals) return std::nullopt;
  return from.refusal;
}

std::int64_t SiteLinks::refusals(std::size_t link) const {
  const std::lock_guard lock(mutex_);
  return links_[link].report.refusals;
}

}  // namespace gtvmin
