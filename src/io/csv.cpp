#include "gtvmin/io/csv.h"

#include <array>
#include <cstddef>
#include <system_error>

#include "fast_float/fast_float.h"

namespace gtvmin {

namespace {

/// A line of nothing but commas must not cost 16 bytes of memory for each.
constexpr std::size_t kMaxFields = 1'000'000;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kStrayQuote = "a quote inside a field that does not start with one";
constexpr std::string_view kTextAfterQuote = "text after the closing quote of a field";
constexpr std::string_view kOpenQuote = "a quoted field that never ends; is the file cut off?";
constexpr std::string_view kStrayReturn = "a carriage return that no line feed follows";
constexpr std::string_view kNulByte = "a NUL byte; is this a text file?";
constexpr std::string_view kEmptyLine = "an empty line";
constexpr std::string_view kTooManyFields = "more than 1000000 fields";

using ByteSet = std::array<bool, 256>;

constexpr ByteSet byte_set(std::string_view bytes) {
  ByteSet set{};
  for (const char c : bytes) set[static_cast<unsigned char>(c)] = true;
  return set;
}

constexpr ByteSet kStopsUnquoted = byte_set({",\n\r\"\0", 5});
constexpr ByteSet kStopsQuoted = byte_set({"\n\"\0", 3});

const char* find_any(const char* at, const char* end, const ByteSet& set) {
  while (at != end && !set[static_cast<unsigned char>(*at)]) ++at;
  return at;
}

std::string_view trimmed(const char* begin, const char* end) {
  while (begin != end && is_blank(*begin)) ++begin;
  while (begin != end && is_blank(*(end - 1))) --end;
  return {begin, static_cast<std::size_t>(end - begin)};
}

std::string unescape(std::string_view quoted) {
  std::string text;
  text.reserve(quoted.size());
  for (std::size_t i = 0; i < quoted.size(); ++i) {
    text += quoted[i];
    if (quoted[i] == '"') ++i;
  }
  return text;
}

void note(CsvRecord& record, std::string_view problem) {
  if (record.problem.empty()) record.problem = problem;
}

void append(CsvRecord& record, std::string_view field) {
  if (record.fields.size() < kMaxFields) {
    record.fields.push_back(field);
  } else {
    note(record, kTooManyFields);
  }
}

}  // namespace

CsvReader::CsvReader(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  at_ = text.data();
  end_ = at_ + text.size();
}

bool CsvReader::next(CsvRecord& record) {
  record.fields.clear();
  record.line = line_;
  record.problem = {};
  unescaped_.clear();
  if (at_ == end_) return false;
  if (*at_ == '\n' || *at_ == '\r') note(record, kEmptyLine);
  while (true) {
    if (at_ != end_ && *at_ == '"') {
      read_quoted(record);
    } else {
      read_unquoted(record);
    }
    if (at_ == end_) return true;
    const char delimiter = *at_++;
    if (delimiter == ',') continue;
    if (delimiter == '\r') ++at_;
    ++line_;
    return true;
  }
}

/// Stops at the delimiter after the field: a comma, LF, the CR of CRLF, or the end.
void CsvReader::read_unquoted(CsvRecord& record) {
  const char* const begin = at_;
  while (true) {
    at_ = find_any(at_, end_, kStopsUnquoted);
    if (at_ == end_ || *at_ == ',' || *at_ == '\n') break;
    if (*at_ == '\r') {
      if (at_ + 1 != end_ && at_[1] == '\n') break;
      note(record, kStrayReturn);
    } else {
      note(record, *at_ == '"' ? kStrayQuote : kNulByte);
    }
    ++at_;
  }
  append(record, trimmed(begin, at_));
}

void CsvReader::read_quoted(CsvRecord& record) {
  const char* const begin = ++at_;
  bool has_doubled = false;
  while (true) {
    at_ = find_any(at_, end_, kStopsQuoted);
    if (at_ == end_) {
      note(record, kOpenQuote);
      return;
    }
    if (*at_ == '\n') {
      ++line_;
    } else if (*at_ == '\0') {
      note(record, kNulByte);
    } else if (at_ + 1 != end_ && at_[1] == '"') {
      has_doubled = true;
      ++at_;
    } else {
      break;
    }
    ++at_;
  }
  const std::string_view inside(begin, static_cast<std::size_t>(at_ - begin));
  ++at_;
  append(record, has_doubled ? std::string_view(unescaped_.emplace_back(unescape(inside))) : inside);

  const bool ends = at_ == end_ || *at_ == ',' || *at_ == '\n' || (*at_ == '\r' && at_ + 1 != end_ && at_[1] == '\n');
  if (!ends) {
    note(record, kTextAfterQuote);
    read_unquoted(record);
  }
}

std::optional<double> parse_number(std::string_view text) {
  text = trimmed(text.data(), text.data() + text.size());
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [parsed_to, code] = fast_float::from_chars(text.data(), end, value);
  if (code == std::errc::invalid_argument || parsed_to != end) return std::nullopt;
  return value;
}

}  // namespace gtvmin
