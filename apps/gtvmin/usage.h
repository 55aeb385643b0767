#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace gtvmin::app {

/// What was wrong with the command line, with the option that was most likely meant.
[[nodiscard]] std::string explain(const CLI::App& app, const CLI::ParseError& error);

}  // namespace gtvmin::app
