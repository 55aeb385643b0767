#include "switchboard.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "stream.h"

namespace gtvmin {
namespace {

constexpr auto kTick = std::chrono::milliseconds(50);
constexpr double kFirstBackoff = 0.1;  // seconds
/// Streams of callers who have not said who they are.
constexpr std::size_t kMostStrangers = 32;
/// How often a minute the comings and goings of a neighbour are told.
constexpr std::int64_t kOften = 10;

}  // namespace

Switchboard::Switchboard(Options options, SiteLinks& links)
    : options_(std::move(options)),
      links_(links),
      log_(options_.log, [&links] { return links.seconds(); }),
      incarnation_((std::uint64_t{std::random_device{}()} << 32) + std::random_device{}()),
      random_(static_cast<std::uint32_t>(incarnation_)),
      lines_(links.size()) {
  // Threads that gRPC has already meet what is made here under the same lock.
  const std::lock_guard lock(mutex_);
  const double now = seconds();
  for (std::size_t k = 0; k < lines_.size(); ++k) {
    // The side with the smaller name dials at once; the other one, if it can be called, only where that does not help.
    lines_[k].dial_at = !options_.can_be_called || options_.site < links_.site(k) ? now : now + 1;
    lines_[k].backoff = kFirstBackoff;
    links_.problem(
        k, options_.can_be_dialled[k] ? "no answer yet" : "it has no address to dial and has not connected yet");
  }
}

Switchboard::~Switchboard() { static_cast<void>(end(0)); }

void Switchboard::begin() {
  links_.set_wake([this](std::size_t link) { wake(link); });
  timer_ = std::thread([this] { keep_watch(); });
}

bool Switchboard::end(double seconds) {
  links_.set_wake({});
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (timer_.joinable()) timer_.join();
  for (const auto& stream : all_streams()) stream->close();
  return wait_for_streams(seconds);
}

bool Switchboard::hang_up_all(double seconds) {
  for (const auto& stream : all_streams()) stream->hang_up("this site is shutting down");
  return wait_for_streams(seconds);
}

void Switchboard::add_stranger(const std::shared_ptr<Stream>& stream) {
  bool too_many = false;
  {
    const std::lock_guard lock(mutex_);
    too_many = stopping_ || strangers_.size() >= kMostStrangers;
    strangers_.push_back(stream);
  }
  if (too_many) stream->hang_up(fmt::format("more than {} callers are unidentified", kMostStrangers));
}

/// Streams of a pair that both have dialled compete; both sides keep the one that the smaller name has dialled, and of
/// two with the same origin the newer one.
bool Switchboard::is_preferred(const Stream& stream, std::size_t link) const {
  return stream.dialled_here() == (options_.site < links_.site(link));
}

Status Switchboard::adopt(const std::shared_ptr<Stream>& stream, std::size_t link, std::uint64_t incarnation) {
  std::shared_ptr<Stream> replaced;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return runtime_failure("this site is shutting down");
    Line& line = lines_[link];
    if (line.active && is_preferred(*line.active, link) && !is_preferred(*stream, link)) {
      return runtime_failure("there is a stream already that was dialled from the other side");
    }
    replaced = std::exchange(line.active, stream);
    line.active_since = seconds();
    std::erase(strangers_, stream);
    if (line.dialling == stream) line.dialling.reset();
    line.last_logged.clear();
  }
  links_.opened(link, incarnation);
  log_.say(links_.site(link) + " connected",
           fmt::format("{}: connected ({})", links_.site(link), stream->dialled_here() ? "dialled here" : "called"),
           kOften);
  if (replaced) {
    replaced->hang_up("replaced by another stream");
    const std::lock_guard lock(mutex_);
    buried_.push_back(std::move(replaced));
  }
  return Unit{};
}

void Switchboard::gone(std::shared_ptr<Stream> stream, const std::string& reason) {
  bool was_active = false;
  bool is_new = true;
  const std::optional<std::size_t> link = stream->link();
  {
    const std::lock_guard lock(mutex_);
    std::erase(strangers_, stream);
    if (link) {
      Line& line = lines_[*link];
      was_active = line.active == stream;
      const bool was_dialling = line.dialling == stream;
      if (was_active) {
        line.active.reset();
        if (seconds() - line.active_since > 1) line.backoff = kFirstBackoff;
      }
      if (was_dialling) line.dialling.reset();
      if (was_active || was_dialling) schedule_dial(line);
      is_new = reason != std::exchange(line.last_logged, reason);
    }
  }
  if (was_active) {
    links_.closed(*link, reason.empty() ? "it has closed the connection" : reason);
  } else if (link) {
    links_.problem(*link, reason);
  }
  // A neighbour that is away for long is away for one reason; that it still is says the exchange.
  const bool expected = reason.empty() || (link && links_.over(*link));
  if (is_new && !expected) {
    // Strangers who do the same are one.
    log_.say(link ? links_.site(*link) + reason : reason, fmt::format("{}: {}", stream->peer(), reason),
             link ? kOften : 1);
  }
  const std::lock_guard lock(mutex_);
  buried_.push_back(std::move(stream));
  changed_.notify_all();
}

void Switchboard::note_repeat(std::size_t link, std::uint64_t number) {
  log_.say(fmt::format("{} repeats", links_.site(link)),
           fmt::format("{}: duplicate message {} is ignored", links_.site(link), number));
}

void Switchboard::count_streams(int change) {
  const std::lock_guard lock(mutex_);
  streams_ += change;
  changed_.notify_all();
}

/// With the lock held. Backoff with jitter, so that sites that lost each other do not dial in step.
void Switchboard::schedule_dial(Line& line) {
  line.dial_at = seconds() + line.backoff * std::uniform_real_distribution<double>(0.5, 1.5)(random_);
  line.backoff = std::min(2 * line.backoff, options_.longest_backoff);
}

void Switchboard::dial(std::size_t link) {
  if (!links_.is_needed(link)) return;
  const std::shared_ptr<Stream> stream = options_.dial(link);
  const std::lock_guard lock(mutex_);
  Line& line = lines_[link];
  if (stream->is_over()) {
    schedule_dial(line);
  } else if (line.active != stream) {
    line.dialling = stream;
  }
}

void Switchboard::wake(std::size_t link) {
  std::shared_ptr<Stream> stream;
  {
    const std::lock_guard lock(mutex_);
    stream = lines_[link].active;
  }
  if (stream) stream->pump();
}

/// With the lock held.
std::vector<std::size_t> Switchboard::lines_to_dial() const {
  std::vector<std::size_t> due;
  for (std::size_t k = 0; k < lines_.size(); ++k) {
    const bool wanted = !lines_[k].active && !lines_[k].dialling && options_.can_be_dialled[k];
    if (wanted && seconds() >= lines_[k].dial_at) due.push_back(k);
  }
  return due;
}

void Switchboard::keep_watch() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    changed_.wait_for(lock, kTick, [&] { return stopping_; });
    if (stopping_) return;
    const std::vector<std::size_t> due = lines_to_dial();
    lock.unlock();
    for (const std::size_t link : due) dial(link);
    for (const auto& stream : all_streams()) stream->watch(options_.heartbeat, options_.silence);
    bury();
    if (options_.look_after) options_.look_after();
    lock.lock();
  }
}

std::vector<std::shared_ptr<Stream>> Switchboard::all_streams() {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Stream>> streams = strangers_;
  for (const Line& line : lines_) {
    for (const auto& stream : {line.active, line.dialling}) {
      if (stream) streams.push_back(stream);
    }
  }
  return streams;
}

/// Destroys the streams that gRPC has forgotten.
void Switchboard::bury() {
  std::vector<std::shared_ptr<Stream>> buried;
  const std::lock_guard lock(mutex_);
  buried.swap(buried_);
}

bool Switchboard::wait_for_streams(double most) {
  const double end = seconds() + most;
  for (;;) {
    bury();
    std::unique_lock lock(mutex_);
    if (streams_ == 0) return true;
    if (seconds() > end) return false;
    changed_.wait_for(lock, kTick, [&] { return streams_ == 0 || !buried_.empty(); });
  }
}

}  // namespace gtvmin
