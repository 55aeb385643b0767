#include "gtvmin/io/text_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace gtvmin {

namespace {

class Descriptor {
 public:
  explicit Descriptor(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

Error failure(const std::string& path, int code) {
  return bad_input(fmt::format("{}: cannot be read: {}", path, std::generic_category().message(code)));
}

/// Appends everything up to the end of the file; returns 0 or an errno, ECANCELED if `stop` said so.
int read_all(int fd, const Stop& stop, std::string& buffer) {
  constexpr int kPollMilliseconds = 100;
  std::array<char, 1 << 16> block;
  while (true) {
    // Waits here instead of in open and read, which a signal does not end: the descriptor does not block.
    pollfd readable{.fd = fd, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&readable, 1, kPollMilliseconds);
    if (stopped(stop)) return ECANCELED;
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t got = ::read(fd, block.data(), block.size());
    if (got == 0) return 0;
    if (got > 0) {
      buffer.append(block.data(), static_cast<std::size_t>(got));
    } else if (errno != EINTR && errno != EAGAIN) {
      return errno;
    }
  }
}

}  // namespace

Result<TextFile> TextFile::open(const std::string& path, const Stop& stop) {
  const Descriptor descriptor(path);
  if (descriptor.get() < 0) return failure(path, errno);
  struct stat info {};
  if (::fstat(descriptor.get(), &info) != 0) return failure(path, errno);
  if (S_ISDIR(info.st_mode)) return bad_input(fmt::format("{}: is a directory, not a file", path));

  TextFile file;
  if (S_ISREG(info.st_mode) && info.st_size > 0) {
    const auto bytes = static_cast<std::size_t>(info.st_size);
    void* mapping = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor.get(), 0);
    if (mapping != MAP_FAILED) {
      ::madvise(mapping, bytes, MADV_SEQUENTIAL);
      file.mapping_ = mapping;
      file.mapped_bytes_ = bytes;
      return file;
    }
  }
  if (const int code = read_all(descriptor.get(), stop, file.buffer_); code != 0) {
    return code == ECANCELED ? interrupted() : failure(path, code);
  }
  return file;
}

TextFile::TextFile(TextFile&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)),
      mapped_bytes_(std::exchange(other.mapped_bytes_, 0)),
      buffer_(std::move(other.buffer_)) {}

TextFile& TextFile::operator=(TextFile&& other) noexcept {
  if (this != &other) {
    release();
    mapping_ = std::exchange(other.mapping_, nullptr);
    mapped_bytes_ = std::exchange(other.mapped_bytes_, 0);
    buffer_ = std::move(other.buffer_);
  }
  return *this;
}

TextFile::~TextFile() { release(); }

std::string_view TextFile::content() const {
  if (mapping_ != nullptr) return {static_cast<const char*>(mapping_), mapped_bytes_};
  return buffer_;
}

void TextFile::release() {
  if (mapping_ != nullptr) ::munmap(mapping_, mapped_bytes_);
  mapping_ = nullptr;
}

}  // namespace gtvmin
