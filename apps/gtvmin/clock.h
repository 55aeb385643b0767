#pragma once

#include <chrono>

namespace gtvmin::app {

/// Seconds since some fixed moment, on a clock that is never set back.
inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace gtvmin::app
