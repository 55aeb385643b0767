#include "help_formatter.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace gtvmin::app {
namespace {

constexpr std::size_t kDefaultWidth = 80;
constexpr std::size_t kLeastWidth = 40;
constexpr std::size_t kMostWidth = 120;  // longer lines are hard to read
constexpr std::size_t kNameIndent = 2;
constexpr std::size_t kHelpIndent = 26;

/// Number of UTF-8 characters: bytes that are not continuation bytes.
std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

/// The longest part of a list "a|b|c", its '|' included, that has at most `room` characters; at least one element.
std::string_view leading_choices(std::string_view word, std::size_t room) {
  std::size_t end = std::min(word.find('|'), word.size() - 1) + 1;
  while (end < word.size()) {
    const std::size_t next = std::min(word.find('|', end), word.size() - 1) + 1;
    if (characters(word.substr(0, next)) > room) break;
    end = next;
  }
  return word.substr(0, end);
}

}  // namespace

std::size_t terminal_width() {
  std::size_t width = kDefaultWidth;
  winsize size{};
  if (::isatty(STDOUT_FILENO) != 0 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    width = size.ws_col;
  } else if (const char* columns = std::getenv("COLUMNS")) {
    const std::string_view text(columns);
    std::size_t value = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc{}) width = value;
  }
  return std::clamp(width, kLeastWidth, kMostWidth);
}

std::string wrapped(std::string_view text, std::size_t column, std::size_t indent, std::size_t width) {
  std::string out;
  bool at_start = true;  // of a line: no space before the next word
  const auto break_line = [&](std::size_t to) {
    out += '\n';
    out.append(to, ' ');
    column = to;
    at_start = true;
  };
  while (!text.empty()) {
    if (text.front() == '\n') {
      out += '\n';
      column = 0;
      at_start = true;
      text.remove_prefix(1);
      continue;
    }
    if (text.front() == ' ') {
      text.remove_prefix(1);
      continue;
    }
    std::string_view word = text.substr(0, text.find_first_of(" \n"));
    text.remove_prefix(word.size());
    while (!word.empty()) {
      const std::size_t space = at_start ? 0 : 1;
      const std::size_t room = width > column + space ? width - column - space : 0;
      std::string_view part = word;
      if (characters(word) > room && word.find('|') < word.size() - 1) part = leading_choices(word, room);
      if (!at_start && characters(part) > room) {
        break_line(indent);
        continue;
      }
      out.append(space, ' ');
      out += part;
      column += space + characters(part);
      at_start = false;
      word.remove_prefix(part.size());
      if (!word.empty()) break_line(indent);
    }
  }
  return out;
}

std::string HelpFormatter::make_description(const CLI::App* app) const {
  return wrapped(app->get_description(), 0, 0, width_) + "\n";
}

std::string HelpFormatter::entry(const std::string& name, const std::string& description) const {
  std::string out = std::string(kNameIndent, ' ') + wrapped(name, kNameIndent, kNameIndent + 4, width_);
  const std::size_t used = characters(out);
  if (out.find('\n') != std::string::npos || used + 1 >= kHelpIndent) {
    out += "\n" + std::string(kHelpIndent, ' ');
  } else {
    out.append(kHelpIndent - used, ' ');
  }
  return out + wrapped(description, kHelpIndent, kHelpIndent, width_) + "\n";
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  return entry(make_option_name(option, is_positional) + make_option_opts(option), make_option_desc(option));
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  return entry(command->get_name(), command->get_description());
}

}  // namespace gtvmin::app
