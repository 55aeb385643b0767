#include "demo_processes.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

extern char** environ;

namespace gtvmin::app {
namespace {

int exit_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

}  // namespace

Result<DemoProcess> DemoProcess::start(const std::vector<std::string>& arguments, const std::string& log) {
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 2);
  std::string command = "gtvmin";
  pointers.push_back(command.data());
  for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  pid_t id = 0;
  const int code = posix_spawn(&id, "/proc/self/exe", &files, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (code != 0) return runtime_failure(fmt::format("no process can be started: {}", std::strerror(code)));
  return DemoProcess(id);
}

DemoProcess::DemoProcess(DemoProcess&& other) noexcept : id_(std::exchange(other.id_, 0)) {}

DemoProcess::~DemoProcess() {
  if (id_ == 0) return;
  ::kill(id_, SIGKILL);
  static_cast<void>(wait());
}

int DemoProcess::wait() {
  int status = 0;
  while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
  }
  id_ = 0;
  return exit_code(status);
}

std::optional<int> DemoProcess::poll() {
  int status = 0;
  if (::waitpid(id_, &status, WNOHANG) != id_) return std::nullopt;
  id_ = 0;
  return exit_code(status);
}

Result<std::vector<std::string>> free_loopback_addresses(std::size_t count) {
  std::vector<std::string> addresses;
  std::vector<int> probes;  // all at once, or the same port comes twice
  addresses.reserve(count);
  probes.reserve(count);
  for (std::size_t k = 0; k < count; ++k) {
    probes.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(place);
    const bool bound = ::bind(probes.back(), reinterpret_cast<const sockaddr*>(&place), size) == 0 &&
                       ::getsockname(probes.back(), reinterpret_cast<sockaddr*>(&place), &size) == 0;
    if (bound) addresses.push_back(fmt::format("127.0.0.1:{}", ntohs(place.sin_port)));
  }
  for (const int probe : probes) ::close(probe);
  if (addresses.size() < count) return runtime_failure("no free port on the loopback address");
  return addresses;
}

}  // namespace gtvmin::app
