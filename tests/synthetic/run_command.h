#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace gtvmin {

struct CommandOutcome {
  int exit_code = -1;
  /// stdout and stderr, in this order of arrival.
  std::string output;
};

/// Runs the gtvmin command in a shell.
inline CommandOutcome run_command(const std::string& arguments) {
  CommandOutcome outcome;
  std::FILE* pipe = ::popen((std::string("'") + GTVMIN_COMMAND + "' " + arguments + " 2>&1").c_str(), "r");
  if (pipe == nullptr) std::abort();
  std::array<char, 4096> buffer;
  for (std::size_t read = 0; (read = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    outcome.output.append(buffer.data(), read);
  }
  const int status = ::pclose(pipe);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

}  // namespace gtvmin
