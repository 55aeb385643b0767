#include "gtvmin/io/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "disk.h"

namespace gtvmin {

Result<FileLock> FileLock::take(const std::string& path, const std::string& taken) {
  FileLock lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (lock.file_ >= 0 && ::flock(lock.file_, LOCK_EX | LOCK_NB) == 0) return lock;
  const int code = errno;
  return runtime_failure(code == EWOULDBLOCK ? taken : fmt::format("{}: cannot be locked: {}", path, reason(code)));
}

FileLock::FileLock(FileLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(file_, other.file_);
  return *this;
}

FileLock::~FileLock() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace gtvmin
