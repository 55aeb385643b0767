#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

namespace gtvmin::app {

/// Prints for a person, usually to stderr. Where that cannot be written (the terminal is gone, a pipe is closed) the
/// text is lost and the run goes on; fmt::print would throw.
template <class... T>
void tell(std::FILE* stream, fmt::format_string<T...> format, T&&... values) {
  const std::string text = fmt::format(format, std::forward<T>(values)...);
  (void)std::fwrite(text.data(), 1, text.size(), stream);
}

/// To be called first. Makes sure that a file that is opened later never takes the number of a standard stream that the
/// caller has closed, and that writing to a pipe that nobody reads, or beyond the largest file that is allowed
/// (ulimit -f), fails like writing to a full disk instead of ending the process (SIGPIPE, SIGXFSZ).
void prepare_standard_streams();

/// To be called last: writes what is still buffered for standard output. If any of it was lost, says so on stderr and
/// turns the exit code of a success, or of a limit, into kRuntimeFailure.
[[nodiscard]] int finish_standard_output(int exit_code);

}  // namespace gtvmin::app
