#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gtvmin/base/result.h"

namespace gtvmin {

/// The problems of one input file: keeps those that stand first in the file and counts the rest.
class InputProblems {
 public:
  static constexpr std::size_t kListed = 20;

  explicit InputProblems(std::string file) : file_(std::move(file)) {}

  void add(std::int64_t line, std::string what);
  [[nodiscard]] bool empty() const { return total_ == 0; }

  /// "file:line: what is wrong", by line; then "file: … more problems" if not all are listed.
  void append_to(std::vector<std::string>& messages) const;
  [[nodiscard]] Error to_error() const;

 private:
  struct Problem {
    std::int64_t line;
    std::string what;
  };
  std::string file_;
  std::vector<Problem> listed_;
  std::size_t total_ = 0;
};

/// The text with control characters and bytes that are not UTF-8 escaped, cut off after about `limit` bytes.
[[nodiscard]] std::string printable(std::string_view text, std::size_t limit);

/// Text from a file as a message shows it: printable, short, in quotes.
[[nodiscard]] std::string shown(std::string_view text);

/// The names, each as `shown`, separated by commas; the first 20 of a longer list.
[[nodiscard]] std::string shown_list(const std::vector<std::string>& names);

}  // namespace gtvmin
