#include "progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "standard_streams.h"

namespace gtvmin::app {
namespace {

constexpr std::size_t kBarWidth = 20;
constexpr std::size_t kMaxSamples = 512;

std::size_t terminal_width(std::FILE* stream) {
  winsize size{};
  if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return size.ws_col;
  }
  return 80;
}

std::string bar(double elapsed, std::optional<double> left) {
  const double done = left && elapsed > 0 ? elapsed / (elapsed + *left) : 0;
  const auto filled = static_cast<std::size_t>(std::clamp(done, 0.0, 1.0) * kBarWidth);
  return fmt::format("[{}{}] ", std::string(filled, '#'), std::string(kBarWidth - filled, '.'));
}

}  // namespace

void RemainingTime::add(const IterationRecord& record) {
  samples_.push_back({record.seconds, record.iteration, std::log(record.relative)});
  // The decay is measured over the last half of the run: old enough to be smooth, young enough to follow restarts.
  while (samples_.size() > 2 && (samples_.front().seconds < record.seconds / 2 || samples_.size() > kMaxSamples)) {
    samples_.pop_front();
  }
}

std::optional<double> RemainingTime::seconds() const {
  if (samples_.size() < 2) {
    return std::nullopt;
  }
  const Sample& first = samples_.front();
  const Sample& last = samples_.back();
  const double elapsed = last.seconds - first.seconds;
  if (!(elapsed > 0)) {
    return std::nullopt;
  }
  std::optional<double> left;
  const auto at_most = [&](double seconds) { left = std::max(0.0, left ? std::min(*left, seconds) : seconds); };
  const double decay = (first.log_relative - last.log_relative) / elapsed;
  if (options_.tolerance > 0 && std::isfinite(decay) && decay > 0) {
    at_most((last.log_relative - std::log(options_.tolerance)) / decay);
  }
  const double rate = static_cast<double>(last.iteration - first.iteration) / elapsed;
  if (rate > 0) {
    at_most(static_cast<double>(options_.max_iterations - last.iteration) / rate);
  }
  if (options_.time_limit > 0) {
    at_most(options_.time_limit - last.seconds);
  }
  return left;
}

Progress::Progress(std::FILE* stream, const SolverOptions& options)
    : stream_(stream),
      terminal_(stream != nullptr && isatty(fileno(stream)) != 0),
      next_at_(kSilentSeconds),
      remaining_(options) {}

Progress::~Progress() {
  if (terminal_ && line_shown_) {
    tell(stream_, "\r\x1b[K");
    std::fflush(stream_);
  }
}

void Progress::show(const IterationRecord& record) {
  if (stream_ == nullptr) {
    return;
  }
  remaining_.add(record);
  if (record.seconds < next_at_) {
    return;
  }
  const std::optional<double> left = remaining_.seconds();
  std::string text = progress_text(record, left);
  if (terminal_) {
    text = bar(record.seconds, left) + text;
    // A line that wraps could not be rewritten; all of it is ASCII, so bytes are columns.
    text.resize(std::min(text.size(), terminal_width(stream_) - 1));
    tell(stream_, "\r{}\x1b[K", text);
  } else {
    tell(stream_, "{}\n", text);
  }
  std::fflush(stream_);
  line_shown_ = true;
  next_at_ = record.seconds + (terminal_ ? kTerminalInterval : kLogInterval);
}

std::string progress_text(const IterationRecord& record, std::optional<double> seconds_left) {
  const double rate = record.seconds > 0 ? static_cast<double>(record.iteration) / record.seconds : 0;
  const std::string certificate =
      std::isfinite(record.relative) ? fmt::format(", certificate {:.1e}", record.relative) : std::string();
  return fmt::format("iteration {}, {:.3g} it/s, objective {:.8g}{}, {} elapsed, {} left", record.iteration, rate,
                     record.objective, certificate, duration_text(record.seconds),
                     seconds_left ? "about " + duration_text(*seconds_left) : "unknown time");
}

std::string duration_text(double seconds) {
  if (seconds < 0.9995) {
    return fmt::format("{:.0f} ms", seconds * 1000);
  }
  if (seconds < 60) {
    return fmt::format("{:.1f} s", seconds);
  }
  const auto whole = static_cast<std::int64_t>(std::min(seconds, 1e9));
  if (whole < 3600) {
    return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  }
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

}  // namespace gtvmin::app
