#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace gtvmin {

/// A log that nobody can fill from outside: what is said again and again is said a few times a minute, with how often
/// it was left out.
/// Thread-safe.
class QuietLog {
 public:
  QuietLog(std::function<void(const std::string&)> log, std::function<double()> seconds);

  /// Unless something with the same key has been said `most` times in this minute.
  void say(const std::string& key, const std::string& line, std::int64_t most = 1);

 private:
  struct Said {
    double since = 0;
    std::int64_t times = 0;
  };

  std::function<void(const std::string&)> log_;
  std::function<double()> seconds_;
  std::mutex mutex_;
  std::map<std::string, Said> said_;
};

}  // namespace gtvmin
