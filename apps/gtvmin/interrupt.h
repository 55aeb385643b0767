#pragma once

#include "gtvmin/base/stop.h"

namespace gtvmin::app {

/// While one of these lives, the first SIGINT, SIGTERM or SIGHUP is only noted, so that the results so far can be
/// written; the second one ends the process at once with exit code 130. A signal that was ignored when the process
/// began (nohup) stays ignored. Guards may be nested; the outermost one counts.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// True once a signal was noted; false without a guard. A Stop.
  [[nodiscard]] static bool interrupted();
};

/// An InterruptGuard for the time in which files are written, where a process must not end before it has removed what
/// is incomplete. stop() becomes true at a second signal, and kGraceSeconds after the first one if that came while this
/// guard lived; a signal from before, for which the results so far are being written, stops nothing. The third signal
/// ends the process at once.
class WritingGuard {
 public:
  WritingGuard();
  ~WritingGuard();
  WritingGuard(const WritingGuard&) = delete;
  WritingGuard& operator=(const WritingGuard&) = delete;

  /// Must not outlive the guard.
  [[nodiscard]] Stop stop();

 private:
  static constexpr double kGraceSeconds = 0.25;

  InterruptGuard guard_;
  int signals_before_;
  double noted_at_ = 0;  ///< seconds; 0: no signal has been seen
};

}  // namespace gtvmin::app
