#pragma once

namespace gtvmin::app {

/// While one of these lives, the first SIGINT or SIGTERM is only noted, so that the results so far can be written; the
/// second one ends the process at once with exit code 130. One at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  [[nodiscard]] static bool interrupted();
};

}  // namespace gtvmin::app
