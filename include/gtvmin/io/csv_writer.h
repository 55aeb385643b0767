#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace gtvmin {

/// Builds a CSV text field by field. Numbers are written with 17 significant digits, so that they read back with the
/// same bits; text is quoted where it has to be.
class CsvWriter {
 public:
  CsvWriter() = default;
  explicit CsvWriter(std::initializer_list<std::string_view> header);

  CsvWriter& text(std::string_view value);
  CsvWriter& number(double value);
  CsvWriter& integer(std::int64_t value);
  void end_row();

  [[nodiscard]] const std::string& content() const { return content_; }
  [[nodiscard]] std::string take() { return std::move(content_); }

 private:
  void start_field();
  std::string content_;
  bool row_is_empty_ = true;
};

}  // namespace gtvmin
