#pragma once

#include <functional>

namespace gtvmin {

/// What a thread does on the side. While this lives, the thread that made it calls `errand` before each chunk of work
/// that it takes from a ThreadTeam. One at a time in a thread.
class Errand {
 public:
  explicit Errand(std::function<void()> errand);
  Errand(const Errand&) = delete;
  Errand& operator=(const Errand&) = delete;
  ~Errand();

  /// That of the calling thread; null if it has none.
  [[nodiscard]] static const Errand* of_this_thread();
  void run() const { errand_(); }

 private:
  std::function<void()> errand_;
};

}  // namespace gtvmin
