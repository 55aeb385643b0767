#pragma once

#include <string>

#include "theory_input.h"

namespace gtvmin::app {

/// What is proved, for which λ, and what prevents the rest, for a person.
[[nodiscard]] std::string theory_text(const TheoryRecord& record);

}  // namespace gtvmin::app
