#include "gtvmin/io/csv_writer.h"

#include <array>
#include <charconv>

#include "gtvmin/io/csv.h"

namespace gtvmin {

namespace {

/// An empty text is quoted too: alone in its row it would read as an empty line.
bool needs_quotes(std::string_view text) {
  return text.empty() || is_blank(text.front()) || is_blank(text.back()) ||
         text.find_first_of(",\"\n\r") != std::string_view::npos;
}

}  // namespace

CsvWriter::CsvWriter(std::initializer_list<std::string_view> header) {
  for (const std::string_view name : header) text(name);
  end_row();
}

void CsvWriter::start_field() {
  if (!row_is_empty_) content_ += ',';
  row_is_empty_ = false;
}

CsvWriter& CsvWriter::text(std::string_view value) {
  start_field();
  if (!needs_quotes(value)) {
    content_ += value;
    return *this;
  }
  content_ += '"';
  for (const char c : value) {
    if (c == '"') content_ += '"';
    content_ += c;
  }
  content_ += '"';
  return *this;
}

CsvWriter& CsvWriter::number(double value) {
  start_field();
  std::array<char, 32> digits;
  char* const end =
      std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::general, 17).ptr;
  content_.append(digits.data(), end);
  return *this;
}

CsvWriter& CsvWriter::integer(std::int64_t value) {
  start_field();
  std::array<char, 32> digits;
  content_.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
  return *this;
}

void CsvWriter::end_row() {
  content_ += '\n';
  row_is_empty_ = true;
}

}  // namespace gtvmin
