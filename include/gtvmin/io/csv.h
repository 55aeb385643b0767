#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gtvmin {

/// One record of a CSV text. The views are valid until the next record is read.
struct CsvRecord {
  std::vector<std::string_view> fields;
  /// The line, from 1, on which the record starts.
  std::int64_t line = 0;
  /// What breaks the format in this record; empty if nothing does. Then, and only then, `fields` can be relied on.
  std::string_view problem;
};

/// Splits a CSV text (RFC 4180) into records without copying: quoted fields may hold commas, line breaks and doubled
/// quotes; lines end with LF or CRLF; a UTF-8 byte order mark, a missing last line break and empty lines at the end are
/// fine. Blanks around an unquoted field do not belong to it.
class CsvReader {
 public:
  /// The text must outlive the reader.
  explicit CsvReader(std::string_view text);

  /// Reads the next record; false at the end. A record with a problem is followed by the next one as well as can be.
  bool next(CsvRecord& record);

 private:
  void read_unquoted(CsvRecord& record);
  void read_quoted(CsvRecord& record);

  const char* at_;
  const char* end_;
  std::int64_t line_ = 1;
  std::deque<std::string> unescaped_;
};

/// Whether a reader takes this character away around an unquoted field.
[[nodiscard]] inline bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// A decimal number as people write it ("1", "-.5", "+2e-3", blanks around it); the result may be infinite or NaN.
/// nullopt for anything else. Does not depend on the locale; correctly rounded.
[[nodiscard]] std::optional<double> parse_number(std::string_view text);

}  // namespace gtvmin
