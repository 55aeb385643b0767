#pragma once

#include <string_view>

namespace gtvmin::app {

/// Tells apart builds whose cells may differ: a digest of the library's sources and of those that run a cell. What only
/// plans, checks and prints is not in it, so that a better page does not cost a night.
[[nodiscard]] std::string_view source_fingerprint();

}  // namespace gtvmin::app
