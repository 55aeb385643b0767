#pragma once

#include <cstdio>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "cell.h"

namespace gtvmin::app {

/// Tells a person which cell begins, how long it will take and how long all of them will. Expectations come from
/// finished cells of the same series, or from what the experiment file says. Safe to use from several threads.
class CellProgress {
 public:
  /// A null `stream` switches it off.
  CellProgress(std::FILE* stream, std::size_t cells, int threads) : stream_(stream), cells_(cells), threads_(threads) {}

  /// A cell that has to be run; before any begins.
  void expect(const Cell& cell) { ++waiting_[group(cell)]; }
  /// A cell that was finished, now or in an earlier run.
  void add_finished(const Cell& cell, double seconds);
  void begin(const Cell& cell);

 private:
  /// Cells that take about the same time.
  struct Group {
    std::string reading_and_series;
    double file_seconds = 0;
    bool operator<(const Group& other) const { return reading_and_series < other.reading_and_series; }
  };
  struct Times {
    double sum = 0;
    double count = 0;
  };
  static Group group(const Cell& cell);
  [[nodiscard]] std::optional<double> expected(const Group& group) const;
  /// Of everything that has not begun; nothing while some series is unknown.
  [[nodiscard]] std::optional<double> seconds_left() const;

  std::FILE* stream_;
  std::size_t cells_;
  int threads_;
  std::size_t begun_ = 0;
  std::map<Group, Times> times_;
  std::map<Group, std::size_t> waiting_;
  std::mutex mutex_;
};

}  // namespace gtvmin::app
