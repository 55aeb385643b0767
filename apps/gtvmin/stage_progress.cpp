#include "stage_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include "clock.h"
#include "progress.h"
#include "standard_streams.h"

namespace gtvmin::app {

StageProgress::StageProgress(std::FILE* stream)
    : stream_(stream),
      terminal_(stream != nullptr && isatty(fileno(stream)) != 0),
      last_heard_(seconds_now()),
      next_at_(last_heard_ + kSilentSeconds) {}

StageProgress::~StageProgress() { clear(); }

void StageProgress::clear() {
  if (terminal_ && line_shown_) {
    tell(stream_, "\r\x1b[K");
    std::fflush(stream_);
  }
  line_shown_ = false;
}

void StageProgress::show(const StageRecord& record) {
  if (stream_ == nullptr) return;
  const double now = seconds_now();
  // A stage begins when the last one was heard of for the last time.
  if (record.stage != stage_) {
    stage_ = record.stage;
    stage_began_ = last_heard_;
  }
  last_heard_ = now;
  if (now < next_at_ || record.done >= record.total) return;
  const std::string text = stage_text(record, now - stage_began_);
  tell(stream_, "{}{}{}", terminal_ ? "\r" : "", text, terminal_ ? "\x1b[K" : "\n");
  std::fflush(stream_);
  line_shown_ = true;
  next_at_ = now + (terminal_ ? kTerminalInterval : kLogInterval);
}

std::string stage_text(const StageRecord& record, double seconds) {
  const double share = record.total > 0 ? static_cast<double>(record.done) / static_cast<double>(record.total) : 0;
  const std::string left =
      share > 0 ? "about " + duration_text(seconds * (1 - share) / share) : std::string("unknown time");
  return fmt::format("{} {} of {} ({:.0f} %), {} elapsed, {} left", record.stage, record.done, record.total,
                     100 * share, duration_text(seconds), left);
}

}  // namespace gtvmin::app
