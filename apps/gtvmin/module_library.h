#pragma once

#include <string_view>

#include "gtvmin/base/result.h"

namespace gtvmin::app {

/// What a module library exports under the name `symbol`. Modules hold what only some commands need, and what would
/// cost the others start-up time; they stay loaded. `library` is the path from the folder of the command; `what` tells
/// people what they cannot have if it fails.
[[nodiscard]] Result<void*> load_symbol(std::string_view library, const char* symbol, std::string_view what);

}  // namespace gtvmin::app
