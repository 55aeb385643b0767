#include "disk.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>

namespace gtvmin {

namespace fs = std::filesystem;

std::string reason(int code) { return std::generic_category().message(code); }

fs::path parent_of(const fs::path& target) { return target.has_parent_path() ? target.parent_path() : fs::path("."); }

int write_through(int fd, std::string_view content, const Stop& stop) {
  // `stop` is polled after every block; the disk is waited for every few blocks, so that no wait is long.
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  constexpr std::size_t kUnsynchronised = 8 * kBlock;
  std::size_t waiting = 0;
  while (!content.empty()) {
    if (stopped(stop)) return ECANCELED;
    const ssize_t written = ::write(fd, content.data(), std::min(content.size(), kBlock));
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    content.remove_prefix(static_cast<std::size_t>(written));
    waiting += static_cast<std::size_t>(written);
    if (waiting < kUnsynchronised) continue;
    if (::fdatasync(fd) != 0) return errno;
    waiting = 0;
  }
  return ::fsync(fd) == 0 ? 0 : errno;
}

int rename_to_free(const fs::path& from, const fs::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  std::error_code code;
  if (fs::exists(fs::symlink_status(to, code))) return EEXIST;
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

}  // namespace gtvmin
