#pragma once

#include <string>
#include <vector>

#include "driver.h"

namespace gtvmin::app {

/// docs/reproduction.md: for every number or curve the paper's, ours in both readings, the ratio, and why they differ.
/// The readings of an experiment stand next to each other.
[[nodiscard]] std::string reproduction_page(const std::vector<ReadingResult>& readings, bool is_quick);

}  // namespace gtvmin::app
