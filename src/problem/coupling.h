#pragma once

#include <span>
#include <string>
#include <vector>

#include "gtvmin/base/result.h"
#include "gtvmin/base/types.h"

namespace gtvmin {

/// The positions of the names that one of the patterns matches, in ascending order; all of them if there is no pattern.
/// In a pattern * stands for any letters and ? for one. Fails on a pattern that matches no name.
[[nodiscard]] Result<std::vector<Index>> coupled_parameters(const std::vector<std::string>& names,
                                                            std::span<const std::string> patterns);

}  // namespace gtvmin
