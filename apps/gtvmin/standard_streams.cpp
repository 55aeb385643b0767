#include "standard_streams.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <system_error>

#include "command.h"

namespace gtvmin::app {
namespace {

/// Opens /dev/null if the descriptor is closed. Reading from it ends at once; writing to one that is opened for reading
/// fails, as it does on a closed descriptor.
void occupy(int descriptor, int mode) {
  if (::fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) return;
  // The lowest free number is taken, and those below are in use already.
  (void)::open("/dev/null", mode);
}

}  // namespace

void prepare_standard_streams() {
  occupy(STDIN_FILENO, O_RDONLY);
  occupy(STDOUT_FILENO, O_RDONLY);
  occupy(STDERR_FILENO, O_WRONLY);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

int finish_standard_output(int exit_code) {
  std::cout.flush();
  const bool lost_before = !std::cout || std::ferror(stdout) != 0;
  errno = 0;
  if (std::fflush(stdout) == 0 && !lost_before) return exit_code;
  const std::string reason = errno != 0 ? ": " + std::generic_category().message(errno) : "";
  tell(stderr, "gtvmin: standard output cannot be written{}\n", reason);
  return exit_code == kSolved || exit_code == kLimit ? kRuntimeFailure : exit_code;
}

}  // namespace gtvmin::app
