#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "gtvmin/base/result.h"
#include "gtvmin/base/stop.h"

namespace gtvmin {

/// The bytes of a whole file, read only. A regular file is mapped, anything else (a pipe) is read to its end.
class TextFile {
 public:
  /// Fails with "path: why" on a directory and on a missing or unreadable file. An empty file is legal here.
  /// `stop` is polled while a pipe gives nothing.
  static Result<TextFile> open(const std::string& path, const Stop& stop = {});

  TextFile(TextFile&& other) noexcept;
  TextFile& operator=(TextFile&& other) noexcept;
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  ~TextFile();

  /// Valid as long as this object.
  [[nodiscard]] std::string_view content() const;

 private:
  TextFile() = default;
  void release();
  void* mapping_ = nullptr;
  std::size_t mapped_bytes_ = 0;
  std::string buffer_;
};

}  // namespace gtvmin
