#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "gtvmin/base/result.h"

namespace gtvmin::app {

/// A `gtvmin` of its own. What it prints goes to a file.
class DemoProcess {
 public:
  static Result<DemoProcess> start(const std::vector<std::string>& arguments, const std::string& log);

  DemoProcess(DemoProcess&& other) noexcept;
  DemoProcess& operator=(DemoProcess&&) = delete;
  DemoProcess(const DemoProcess&) = delete;
  DemoProcess& operator=(const DemoProcess&) = delete;
  /// Ends the process if it still runs.
  ~DemoProcess();

  /// The exit code; 128 and the signal if a signal ended it.
  [[nodiscard]] int wait();
  /// The same, if the process has ended.
  [[nodiscard]] std::optional<int> poll();

 private:
  explicit DemoProcess(pid_t id) : id_(id) {}
  pid_t id_;
};

/// Ports of the loopback address that nobody uses now.
[[nodiscard]] Result<std::vector<std::string>> free_loopback_addresses(std::size_t count);

}  // namespace gtvmin::app
