#pragma once

#include <string>

#include "driver.h"

namespace gtvmin::app {

/// Where our mean is less than a third of the paper's curve, and that is below 0.1: a table that shows whether draws on
/// which Algorithm 1 had not converged explain the paper's value. Empty if there is no such place.
[[nodiscard]] std::string below_paper(const ReadingResult& reading);

}  // namespace gtvmin::app
