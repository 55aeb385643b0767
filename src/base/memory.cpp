#include "gtvmin/base/memory.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>

namespace gtvmin {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The number after `key` in a file of lines "key 123 …"; nullopt if there is none.
std::optional<double> number_of(const char* path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t first = line.find_first_of("0123456789", key.size());
    if (first == std::string::npos) return std::nullopt;
    double number = 0;
    std::from_chars(line.data() + first, line.data() + line.size(), number);
    return number;
  }
  return std::nullopt;
}

std::optional<double> machine_leaves() {
  constexpr double kKibibyte = 1024;  // the unit of /proc/meminfo
  if (const auto available = number_of("/proc/meminfo", "MemAvailable:")) {
    return kKibibyte * (*available + number_of("/proc/meminfo", "SwapFree:").value_or(0));
  }
#ifdef _SC_AVPHYS_PAGES
  const long pages = ::sysconf(_SC_AVPHYS_PAGES);
  if (pages > 0) return static_cast<double>(pages) * static_cast<double>(::sysconf(_SC_PAGESIZE));
#endif
  return std::nullopt;
}

/// A limit minus what is used of it, both in files that hold one number; ∞ without a limit ("max", or no such file).
/// Pages of files count as used but can be dropped at any time.
double group_leaves(const std::string& folder, const char* limit, const char* used, const char* droppable) {
  const auto most = number_of((folder + limit).c_str(), "");
  const auto now = number_of((folder + used).c_str(), "");
  if (!most || !now) return kInfinity;
  const double files = number_of((folder + "/memory.stat").c_str(), droppable).value_or(0);
  return std::max(0.0, *most - *now + files);
}

/// Over the control group of this process and all that hold it, of either version of the interface.
double groups_leave() {
  double least = kInfinity;
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const bool unified = line.starts_with("0::");
    const std::size_t memory = line.find(":memory:");
    if (!unified && memory == std::string::npos) continue;
    const std::string root = unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    std::string path = line.substr(unified ? 3 : memory + 8);
    while (true) {
      const std::string folder = root + (path == "/" ? "" : path);
      least = std::min(least, unified ? group_leaves(folder, "/memory.max", "/memory.current", "inactive_file ")
                                      : group_leaves(folder, "/memory.limit_in_bytes", "/memory.usage_in_bytes",
                                                     "total_inactive_file "));
      const std::size_t slash = path.rfind('/');
      if (path.size() <= 1 || slash == std::string::npos) break;
      path.resize(std::max<std::size_t>(slash, 1));
    }
  }
  return least;
}

double address_space_leaves() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kInfinity;
  const double page = static_cast<double>(::sysconf(_SC_PAGESIZE));
  const double used = page * number_of("/proc/self/statm", "").value_or(0);
  return std::max(0.0, static_cast<double>(limit.rlim_cur) - used);
}

}  // namespace

std::optional<double> available_memory() {
  const double least = std::min({machine_leaves().value_or(kInfinity), groups_leave(), address_space_leaves()});
  return std::isfinite(least) ? std::optional(least) : std::nullopt;
}

std::string memory_text(double bytes) {
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double size = std::max(bytes, 0.0) / 1024;
  std::size_t unit = 0;
  for (; size >= 1024 && unit + 1 < std::size(kUnits); ++unit) size /= 1024;
  return size < 9.95 ? fmt::format("{:.1f} {}", size, kUnits[unit]) : fmt::format("{:.0f} {}", size, kUnits[unit]);
}

Status require_memory(double bytes, std::string_view what, const std::optional<double>& available) {
  if (!available || bytes <= *available) return Unit{};
  return runtime_failure(
      fmt::format("{} needs about {} of memory, {} are available", what, memory_text(bytes), memory_text(*available)));
}

Status require_memory(double bytes, std::string_view what) {
  constexpr double kUnchecked = 64.0 * (1 << 20);
  return bytes < kUnchecked ? Status(Unit{}) : require_memory(bytes, what, available_memory());
}

}  // namespace gtvmin
