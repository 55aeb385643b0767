#include "output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace gtvmin::app {
namespace fs = std::filesystem;
namespace {

std::string reason(int code) { return std::generic_category().message(code); }

fs::path folder_of(const fs::path& target) { return target.has_parent_path() ? target.parent_path() : fs::path("."); }

/// Writes everything and waits for the disk; returns 0 or an errno.
int write_through(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written >= 0) {
      content.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return ::fsync(fd) == 0 ? 0 : errno;
}

/// rename; without `force` never onto something that exists. Returns 0 or an errno.
int put_into_place(const fs::path& from, const fs::path& to, bool force) {
  if (force) return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  std::error_code code;
  if (fs::exists(fs::symlink_status(to, code))) return EEXIST;
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

}  // namespace

Status check_output_file(const std::string& path, bool force) {
  const fs::path target(path);
  std::error_code code;
  if (!target.has_filename() || target.filename() == "." || target.filename() == "..") {
    return usage_error(fmt::format("{}: is not a name for a file", path.empty() ? "\"\"" : path));
  }
  const fs::path folder = folder_of(target);
  if (!fs::is_directory(folder, code)) {
    return usage_error(fmt::format("{}: the directory {} does not exist", path, folder.string()));
  }
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    return usage_error(fmt::format("{}: cannot write to the directory {}: {}", path, folder.string(), reason(errno)));
  }
  const fs::file_status status = fs::symlink_status(target, code);
  if (!fs::exists(status)) return Unit{};
  if (!fs::is_regular_file(status)) return usage_error(fmt::format("{}: exists and is not a plain file", path));
  if (!force) return usage_error(fmt::format("{}: exists already; use --force to replace it", path));
  return Unit{};
}

Status write_output_file(const std::string& path, bool force, std::string_view content) {
  const fs::path target(path);
  const fs::path partial =
      folder_of(target) / fmt::format(".{}.partial-{}", target.filename().string(), static_cast<long>(::getpid()));
  const int fd = ::open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  int code = fd >= 0 ? write_through(fd, content) : errno;
  if (fd >= 0 && ::close(fd) != 0 && code == 0) code = errno;
  if (code == 0) code = put_into_place(partial, target, force);
  if (code == 0) return Unit{};
  ::unlink(partial.c_str());
  return runtime_failure(fmt::format("{}: cannot be written: {}", path, reason(code)));
}

}  // namespace gtvmin::app
