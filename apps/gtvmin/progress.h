#pragma once

#include <cstdint>
#include <cstdio>
#include <deque>
#include <optional>
#include <string>

#include "gtvmin/solver/solver.h"

namespace gtvmin::app {

// In seconds, of everything that shows progress: from when on, and how often on a terminal and in a log.
constexpr double kSilentSeconds = 1;
constexpr double kTerminalInterval = 0.1;
constexpr double kLogInterval = 5;

/// Estimates how long a run will still take: from the rate at which the certificate falls, and from the limits.
class RemainingTime {
 public:
  explicit RemainingTime(const SolverOptions& options) : options_(options) {}

  void add(const IterationRecord& record);
  /// Seconds; nullopt while nothing can be said.
  [[nodiscard]] std::optional<double> seconds() const;

 private:
  struct Sample {
    double seconds;
    std::int64_t iteration;
    double log_relative;
  };
  SolverOptions options_;
  std::deque<Sample> samples_;
};

/// Tells a person how a run is going: on a terminal one line with a bar that rewrites itself, in a log a plain line
/// every few seconds. Silent in the first second.
class Progress {
 public:
  /// A null `stream` switches it off.
  Progress(std::FILE* stream, const SolverOptions& options);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const IterationRecord& record);

 private:
  std::FILE* stream_;
  bool terminal_;
  bool line_shown_ = false;
  double next_at_;
  RemainingTime remaining_;
};

/// The text of a progress line: iteration, rate, objective, certificate, time left.
[[nodiscard]] std::string progress_text(const IterationRecord& record, std::optional<double> seconds_left);

/// "850 ms", "3.2 s", "4 min 05 s", "2 h 13 min".
[[nodiscard]] std::string duration_text(double seconds);

}  // namespace gtvmin::app
