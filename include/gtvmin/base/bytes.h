#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "gtvmin/base/types.h"

namespace gtvmin {

/// Puts numbers one after another, as bytes that mean the same on every machine: little-endian, 8 each.
class ByteWriter {
 public:
  void integer(std::int64_t value) { word(std::bit_cast<std::uint64_t>(value)); }
  void real(double value) { word(std::bit_cast<std::uint64_t>(value)); }
  void text(std::string_view value) {
    integer(static_cast<std::int64_t>(value.size()));
    bytes_ += value;
  }
  void reals(std::span<const double> values) {
    for (const double value : values) real(value);
  }
  void matrix(const Matrix& value) {
    integer(value.rows());
    integer(value.cols());
    reals({value.data(), static_cast<std::size_t>(value.size())});
  }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  void word(std::uint64_t bits) {
    std::array<char, 8> bytes{};
    for (int k = 0; k < 8; ++k) bytes[k] = static_cast<char>(bits >> (8 * k));
    bytes_.append(bytes.data(), bytes.size());
  }
  std::string bytes_;
};

/// Reads them back. What is not there reads as 0 and is remembered: ask ok() at the end, and before believing a size.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : left_(bytes) {}

  [[nodiscard]] std::int64_t integer() { return std::bit_cast<std::int64_t>(word()); }
  [[nodiscard]] double real() { return std::bit_cast<double>(word()); }
  [[nodiscard]] std::string_view text() {
    const std::int64_t size = integer();
    if (size < 0 || static_cast<std::uint64_t>(size) > left_.size()) {
      ok_ = false;
      return {};
    }
    return take(static_cast<std::size_t>(size));
  }
  void reals(std::span<double> values) {
    for (double& value : values) value = real();
  }
  [[nodiscard]] Matrix matrix() {
    const std::int64_t rows = integer();
    const std::int64_t columns = integer();
    const auto room = static_cast<std::int64_t>(left_.size() / 8);
    if (rows < 0 || columns < 0 || (columns > 0 && rows > room / columns)) {
      ok_ = false;
      return {};
    }
    Matrix value(rows, columns);
    reals({value.data(), static_cast<std::size_t>(value.size())});
    return value;
  }
  /// How many more numbers there can be.
  [[nodiscard]] std::int64_t numbers_left() const { return static_cast<std::int64_t>(left_.size() / 8); }
  [[nodiscard]] bool at_end() const { return left_.empty(); }
  [[nodiscard]] bool ok() const { return ok_; }

 private:
  std::string_view take(std::size_t count) {
    const std::string_view taken = left_.substr(0, count);
    left_.remove_prefix(count);
    return taken;
  }
  std::uint64_t word() {
    if (left_.size() < 8) {
      ok_ = false;
      left_ = {};
      return 0;
    }
    std::uint64_t bits = 0;
    int shift = 0;
    for (const char byte : take(8)) {
      bits |= static_cast<std::uint64_t>(static_cast<unsigned char>(byte)) << shift;
      shift += 8;
    }
    return bits;
  }
  std::string_view left_;
  bool ok_ = true;
};

}  // namespace gtvmin
