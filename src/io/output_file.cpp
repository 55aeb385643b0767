#include "gtvmin/io/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "disk.h"
#include "gtvmin/io/text_file.h"

namespace gtvmin {
namespace fs = std::filesystem;
namespace {

/// rename; without `force` never onto something that exists. Returns 0 or an errno.
int put_into_place(const fs::path& from, const fs::path& to, bool force) {
  if (!force) return rename_to_free(from, to);
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

std::string partial_prefix(const fs::path& target) { return fmt::format(".{}.partial-", target.filename().string()); }

Status write_file(const std::string& path, bool force, mode_t mode, std::string_view content, const Stop& stop = {}) {
  const fs::path target(path);
  const fs::path partial =
      parent_of(target) / fmt::format("{}{}", partial_prefix(target), static_cast<long>(::getpid()));
  // What an earlier process of this number left behind may have another mode.
  ::unlink(partial.c_str());
  const int fd = ::open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  int code = fd >= 0 ? write_through(fd, content, stop) : errno;
  if (fd >= 0 && ::close(fd) != 0 && code == 0) code = errno;
  if (code == 0) code = put_into_place(partial, target, force);
  if (code == 0) return Unit{};
  ::unlink(partial.c_str());
  if (code == ECANCELED) return interrupted();
  return runtime_failure(fmt::format("{}: cannot be written: {}", path, reason(code)));
}

}  // namespace

Status check_output_file(const std::string& path, bool force) {
  const fs::path target(path);
  std::error_code code;
  if (!target.has_filename() || target.filename() == "." || target.filename() == "..") {
    return usage_error(fmt::format("{}: is not a name for a file", path.empty() ? "\"\"" : path));
  }
  const fs::path folder = parent_of(target);
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

Status write_output_file(const std::string& path, bool force, std::string_view content, const Stop& stop) {
  return write_file(path, force, 0666, content, stop);
}

void remove_partial_files(const std::string& path) {
  std::error_code ignored;  // what cannot be removed does no harm
  for (const auto& entry : fs::directory_iterator(parent_of(path), ignored)) {
    if (entry.path().filename().string().starts_with(partial_prefix(path))) fs::remove(entry.path(), ignored);
  }
}

Status write_secret_file(const std::string& path, std::string_view content) {
  return write_file(path, false, S_IRUSR | S_IWUSR, content);
}

Status replace_secret_file(const std::string& path, std::string_view content) {
  if (Status written = write_file(path, true, S_IRUSR | S_IWUSR, content); !written) return written;
  return sync_folder(parent_of(path).string());
}

Status sync_folder(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool safe = fd >= 0 && ::fsync(fd) == 0;
  const int code = errno;
  if (fd >= 0) ::close(fd);
  return safe ? Status(Unit{}) : runtime_failure(fmt::format("{}: cannot be written: {}", folder, reason(code)));
}

Result<std::string> read_secret_file(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0) {
    if (!S_ISREG(info.st_mode)) return bad_input(fmt::format("{}: is not a plain file", path));
    if ((info.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
      return bad_input(fmt::format("{}: accessible by others than its owner; run chmod 600 {}", path, path));
    }
  }
  const Result<TextFile> file = TextFile::open(path);
  if (!file) return file.error();
  return std::string(file->content());
}

}  // namespace gtvmin
