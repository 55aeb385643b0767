#include "gtvmin/io/result_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <system_error>
#include <utility>

#include "disk.h"

namespace gtvmin {

namespace fs = std::filesystem;

namespace {

/// Without a trailing slash, and with a symbolic link followed: the link stays and what it points at is replaced.
Result<fs::path> resolve(const std::string& path) {
  fs::path target(path);
  if (!target.has_filename() && target.has_relative_path()) target = target.parent_path();
  if (!target.has_filename() || target.filename() == "." || target.filename() == "..") {
    return usage_error(fmt::format("{}: is not a name for an output directory", path.empty() ? "\"\"" : path));
  }
  std::error_code code;
  if (fs::is_symlink(target, code)) {
    const fs::path real = fs::canonical(target, code);
    if (code) return usage_error(fmt::format("{}: is a dangling symbolic link", path));
    return real;
  }
  return target;
}

Status check_existing(const fs::path& target, bool force, std::string_view marker) {
  const std::string name = target.string();
  std::error_code code;
  if (!fs::is_directory(target, code)) {
    return usage_error(fmt::format("{}: exists and is not a directory", name));
  }
  if (!force) return usage_error(fmt::format("{}: exists already; use --force to replace it", name));
  const bool is_empty = fs::is_empty(target, code);
  if (code) return usage_error(fmt::format("{}: cannot be read: {}", name, code.message()));
  if (!is_empty && !fs::is_regular_file(target / marker, code)) {
    return usage_error(
        fmt::format("{}: not replaced, because it contains no {} and does not look like a result", name, marker));
  }
  // Its files go with it, and that needs the right to change it.
  if (!is_empty && ::access(target.c_str(), W_OK | X_OK) != 0) {
    return usage_error(fmt::format("{}: cannot be replaced: {}", name, reason(errno)));
  }
  return Unit{};
}

Status check_target(const fs::path& target, bool force, std::string_view marker) {
  const fs::path parent = parent_of(target);
  std::error_code code;
  if (!fs::is_directory(parent, code)) {
    return usage_error(fmt::format("{}: the directory {} does not exist", target.string(), parent.string()));
  }
  if (::access(parent.c_str(), W_OK | X_OK) != 0) {
    return usage_error(
        fmt::format("{}: cannot write to the directory {}: {}", target.string(), parent.string(), reason(errno)));
  }
  if (fs::exists(fs::symlink_status(target, code))) return check_existing(target, force, marker);
  return Unit{};
}

/// A new, empty, hidden directory next to `target`, so that a rename does not cross file systems.
Result<fs::path> make_partial(const fs::path& target) {
  for (int attempt = 0;; ++attempt) {
    const fs::path partial =
        parent_of(target) / fmt::format(".{}.partial-{}-{}", target.filename().string(), ::getpid(), attempt);
    if (::mkdir(partial.c_str(), 0777) == 0) return partial;
    if (errno != EEXIST) {
      return runtime_failure(fmt::format("{}: cannot be created: {}", partial.string(), reason(errno)));
    }
  }
}

/// Best effort: some file systems cannot synchronise a directory.
void sync_directory(const fs::path& directory) {
  const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

/// Puts `fresh` where `old` is and `old` where `fresh` was; in one step where the file system can. Returns 0 or an
/// errno.
int exchange(const fs::path& fresh, const fs::path& old) {
  if (::renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, old.c_str(), RENAME_EXCHANGE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  fs::path aside = fresh;
  aside += ".old";
  if (::rename(old.c_str(), aside.c_str()) != 0) return errno;
  if (::rename(fresh.c_str(), old.c_str()) != 0) {
    const int code = errno;
    ::rename(aside.c_str(), old.c_str());
    return code;
  }
  return ::rename(aside.c_str(), fresh.c_str()) == 0 ? 0 : errno;
}

}  // namespace

Status check_output_directory(const std::string& path, bool force, std::string_view marker) {
  const Result<fs::path> target = resolve(path);
  if (!target) return target.error();
  if (const Status status = check_target(*target, force, marker); !status) return status.error();
  // The rights can look well where making a directory still fails; so one is made.
  const Result<fs::path> partial = make_partial(*target);
  if (!partial) return usage_error(partial.error().messages.front());
  ::rmdir(partial->c_str());
  return Unit{};
}

Result<ResultDirectory> ResultDirectory::create(const std::string& path, bool force, std::string_view marker) {
  Result<fs::path> target = resolve(path);
  if (!target) return target.error();
  if (const Status status = check_target(*target, force, marker); !status) return status.error();
  Result<fs::path> partial = make_partial(*target);
  if (!partial) return partial.error();
  return ResultDirectory(*std::move(target), *std::move(partial), force, std::string(marker));
}

ResultDirectory::ResultDirectory(fs::path target, fs::path partial, bool force, std::string marker)
    : target_(std::move(target)), partial_(std::move(partial)), force_(force), marker_(std::move(marker)) {}

ResultDirectory::ResultDirectory(ResultDirectory&& other) noexcept
    : target_(std::move(other.target_)),
      partial_(std::exchange(other.partial_, fs::path())),
      force_(other.force_),
      marker_(std::move(other.marker_)) {}

ResultDirectory::~ResultDirectory() {
  std::error_code ignored;
  if (!partial_.empty()) fs::remove_all(partial_, ignored);
}

Status ResultDirectory::add(std::string_view name, std::string_view content, const Stop& stop) {
  assert(!partial_.empty() && !name.empty() && name.find('/') == std::string_view::npos);
  const fs::path path = partial_ / name;
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  assert(fd >= 0 || errno != EEXIST);
  int code = fd >= 0 ? write_through(fd, content, stop) : errno;
  if (fd >= 0 && ::close(fd) != 0 && code == 0) code = errno;
  if (code == 0) return Unit{};
  if (code == ECANCELED) return interrupted();
  return runtime_failure(fmt::format("{}: cannot be written: {}", (target_ / name).string(), reason(code)));
}

Status ResultDirectory::commit() {
  assert(!partial_.empty());
  // Time has passed since create(): what stands there now is looked at again.
  if (const Status status = check_target(target_, force_, marker_); !status) return status.error();
  sync_directory(partial_);
  std::error_code code;
  const bool replaces = fs::exists(target_, code);
  if (const int failed = replaces ? exchange(partial_, target_) : rename_to_free(partial_, target_); failed != 0) {
    return runtime_failure(fmt::format("{}: cannot be moved into place: {}", target_.string(), reason(failed)));
  }
  sync_directory(parent_of(target_));
  const fs::path old = std::exchange(partial_, fs::path());
  if (replaces && (fs::remove_all(old, code), code)) {
    return runtime_failure(fmt::format("{}: is written, but the old results in {} cannot be removed: {}",
                                       target_.string(), old.string(), code.message()));
  }
  return Unit{};
}

Status write_result_directory(const std::string& path, bool force, const NamedFiles& files, std::string_view marker,
                              const Stop& stop) {
  if (stopped(stop)) return interrupted();
  Result<ResultDirectory> directory = ResultDirectory::create(path, force, marker);
  if (!directory) return directory.error();
  for (const auto& [name, content] : files) {
    if (Status added = directory->add(name, content, stop); !added) return added;
  }
  if (stopped(stop)) return interrupted();
  return directory->commit();
}

}  // namespace gtvmin
