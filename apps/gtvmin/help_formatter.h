#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <string_view>

namespace gtvmin::app {

/// Columns of the terminal that stdout is connected to; otherwise the environment variable COLUMNS, otherwise 80.
[[nodiscard]] std::size_t terminal_width();

/// Breaks `text` at spaces, and where a word is too long at '|', so that lines have at most `width` characters. Lines
/// after the first begin with `indent` spaces; the first line begins at column `column`. Existing line breaks stay.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t column, std::size_t indent, std::size_t width);

/// Help of all commands, wrapped at a width.
class HelpFormatter final : public CLI::Formatter {
 public:
  explicit HelpFormatter(std::size_t width) : width_(width) {}

  [[nodiscard]] std::string make_description(const CLI::App* app) const override;
  [[nodiscard]] std::string make_option(const CLI::Option* option, bool is_positional) const override;
  [[nodiscard]] std::string make_subcommand(const CLI::App* command) const override;

 private:
  [[nodiscard]] std::string entry(const std::string& name, const std::string& description) const;

  std::size_t width_;
};

}  // namespace gtvmin::app
