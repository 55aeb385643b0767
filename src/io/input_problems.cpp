#include "gtvmin/io/input_problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gtvmin {

namespace {

constexpr std::size_t kShownBytes = 40;
constexpr std::size_t kShownNames = 20;

/// The length of the printable UTF-8 character at the start of `text`; 0 if there is none.
std::size_t printable_length(std::string_view text) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80; };
  const unsigned first = byte(0);
  if (first >= 0x20 && first < 0x7F) return 1;
  // U+0080 … U+009F are control characters; overlong forms and surrogates are not UTF-8.
  if (first >= 0xC2 && first <= 0xDF) return continues(1) && (first != 0xC2 || byte(1) >= 0xA0) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = first == 0xED && byte(1) >= 0xA0;
    return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool overlong = first == 0xF0 && byte(1) < 0x90;
    const bool too_large = first == 0xF4 && byte(1) >= 0x90;
    return continues(1) && continues(2) && continues(3) && !overlong && !too_large ? 4 : 0;
  }
  return 0;
}

std::string escaped(char c) {
  switch (c) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
}

}  // namespace

void InputProblems::add(std::int64_t line, std::string what) {
  ++total_;
  if (listed_.size() == kListed && listed_.back().line <= line) return;
  const auto after = std::upper_bound(listed_.begin(), listed_.end(), line,
                                      [](std::int64_t value, const Problem& problem) { return value < problem.line; });
  listed_.insert(after, {line, std::move(what)});
  if (listed_.size() > kListed) listed_.pop_back();
}

void InputProblems::append_to(std::vector<std::string>& messages) const {
  for (const Problem& problem : listed_) {
    messages.push_back(fmt::format("{}:{}: {}", file_, problem.line, problem.what));
  }
  if (const std::size_t more = total_ - listed_.size(); more > 0) {
    messages.push_back(fmt::format("{}: and {} more {}", file_, more, more == 1 ? "problem" : "problems"));
  }
}

Error InputProblems::to_error() const {
  Error error{Error::Kind::kBadInput, {}};
  append_to(error.messages);
  return error;
}

std::string printable(std::string_view text, std::size_t limit) {
  std::string result;
  while (!text.empty()) {
    if (result.size() >= limit) return result + "…";
    const std::size_t length = printable_length(text);
    result += length > 0 ? std::string(text.substr(0, length)) : escaped(text.front());
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

std::string shown(std::string_view text) { return '"' + printable(text, kShownBytes) + '"'; }

std::string shown_list(const std::vector<std::string>& names) {
  std::string result;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i == kShownNames) return result + fmt::format(" and {} more", names.size() - i);
    if (i > 0) result += ", ";
    result += shown(names[i]);
  }
  return result;
}

}  // namespace gtvmin
