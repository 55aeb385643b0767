#include "quiet_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gtvmin {
namespace {

constexpr double kMinute = 60;  // seconds
/// Reasons may quote what strangers say; more of them at a time are forgotten.
constexpr std::size_t kMostKeys = 256;

}  // namespace

QuietLog::QuietLog(std::function<void(const std::string&)> log, std::function<double()> seconds)
    : log_(std::move(log)), seconds_(std::move(seconds)) {}

void QuietLog::say(const std::string& key, const std::string& line, std::int64_t most) {
  if (!log_) return;
  std::int64_t left_out = 0;
  {
    const std::lock_guard lock(mutex_);
    if (said_.size() >= kMostKeys && !said_.contains(key)) said_.clear();
    const double now = seconds_();
    Said& said = said_.try_emplace(key, Said{.since = now, .times = 0}).first->second;
    if (now - said.since >= kMinute) {
      left_out = std::max<std::int64_t>(0, said.times - most);
      said = {.since = now, .times = 0};
    }
    if (++said.times > most) return;
  }
  log_(left_out == 0 ? line : fmt::format("{} (repeated {} times)", line, left_out));
}

}  // namespace gtvmin
