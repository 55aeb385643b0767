#include "cell_progress.h"

#include <fmt/format.h>

#include "../progress.h"
#include "../standard_streams.h"

namespace gtvmin::app {

CellProgress::Group CellProgress::group(const Cell& cell) {
  return {fmt::format("{} {} {}", cell.experiment, to_string(cell.reading), cell.series.key()),
          cell.series.method->seconds};
}

void CellProgress::add_finished(const Cell& cell, double seconds) {
  const std::lock_guard lock(mutex_);
  Times& times = times_[group(cell)];
  times.sum += seconds;
  ++times.count;
}

void CellProgress::begin(const Cell& cell) {
  const std::lock_guard lock(mutex_);
  ++begun_;
  const Group mine = group(cell);
  --waiting_[mine];
  if (stream_ == nullptr) return;
  const std::optional<double> takes = expected(mine);
  const std::optional<double> left = seconds_left();
  const int width = static_cast<int>(fmt::format("{}", cells_).size());
  tell(stream_, "[{:>{}}/{}] {} ({}{})\n", begun_, width, cells_, cell.label,
       takes ? "about " + duration_text(*takes) : "time unknown",
       left ? fmt::format("; all that follow: about {}", duration_text(*left)) : "");
  std::fflush(stream_);
}

std::optional<double> CellProgress::expected(const Group& group) const {
  if (const auto it = times_.find(group); it != times_.end()) return it->second.sum / it->second.count;
  return group.file_seconds > 0 ? std::optional(group.file_seconds) : std::nullopt;
}

std::optional<double> CellProgress::seconds_left() const {
  double sum = 0;
  for (const auto& [group, count] : waiting_) {
    if (count == 0) continue;
    const std::optional<double> each = expected(group);
    if (!each) return std::nullopt;
    sum += *each * static_cast<double>(count);
  }
  return sum / threads_;
}

}  // namespace gtvmin::app
