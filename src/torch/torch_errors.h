#pragma once

#include <exception>
#include <string>

namespace gtvmin {

/// What libtorch says went wrong, without its stack traces: the first line, or, of an error inside TorchScript, the
/// last one that has words.
[[nodiscard]] std::string first_line(const std::exception& error);

}  // namespace gtvmin
