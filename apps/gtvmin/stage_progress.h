#pragma once

#include <cstdio>
#include <string>

#include "gtvmin/similarity/context.h"

namespace gtvmin::app {

/// Tells a person how the stages of a computation are going: on a terminal one line that rewrites itself, in a log a
/// plain line every few seconds. Silent in the first second.
class StageProgress {
 public:
  /// A null `stream` switches it off.
  explicit StageProgress(std::FILE* stream);
  ~StageProgress();
  StageProgress(const StageProgress&) = delete;
  StageProgress& operator=(const StageProgress&) = delete;

  void show(const StageRecord& record);
  /// Removes the line from a terminal, so that something else can be printed.
  void clear();

 private:
  std::FILE* stream_;
  bool terminal_;
  bool line_shown_ = false;
  double last_heard_;
  double next_at_;
  std::string stage_;
  double stage_began_ = 0;
};

/// "distances 120 of 780 (15 %), 3.2 s elapsed, about 18.0 s left".
[[nodiscard]] std::string stage_text(const StageRecord& record, double seconds);

}  // namespace gtvmin::app
