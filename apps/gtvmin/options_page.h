#pragma once

#include <string>

namespace gtvmin::app {

/// docs/options.md: the options of all commands, generated from their declarations. Options that several commands share
/// are listed once.
[[nodiscard]] std::string options_page();

}  // namespace gtvmin::app
