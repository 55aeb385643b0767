#pragma once

#include <string>

#include "gtvmin/base/result.h"

namespace gtvmin {

/// Keeps every other process from something for as long as this object lives; a process that is killed lets go as well.
class FileLock {
 public:
  /// `path` is a file of its own, made if it is not there, and left there. Fails with `taken` if somebody has the lock.
  static Result<FileLock> take(const std::string& path, const std::string& taken);

  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

 private:
  explicit FileLock(int file) : file_(file) {}
  int file_;
};

}  // namespace gtvmin
