#pragma once

#include <functional>
#include <utility>

#include "gtvmin/base/result.h"

namespace gtvmin {

/// True once the caller wants a long operation to end; from then on it stays true. Polled every few
/// thousand rows, nodes or edges by the calling thread. Empty: the operation runs to its end. An operation that ends
/// early fails with interrupted().
using Stop = std::function<bool()>;

[[nodiscard]] inline bool stopped(const Stop& stop) { return stop && stop(); }

/// Counts units of work (rows, nodes, edges) and polls `stop` once per `interval` of them.
class StopPoll {
 public:
  explicit StopPoll(Stop stop, int interval = kRows) : stop_(std::move(stop)), interval_(interval) {}

  /// To be called once per unit of work; true once the operation is to end.
  [[nodiscard]] bool operator()() {
    if (stopped_ || ++count_ < interval_) return stopped_;
    count_ = 0;
    return stopped_ = gtvmin::stopped(stop_);
  }
  /// What the last poll said.
  [[nodiscard]] bool has_stopped() const { return stopped_; }

 private:
  static constexpr int kRows = 4096;  ///< some milliseconds of reading

  Stop stop_;
  int interval_;
  int count_ = 0;
  bool stopped_ = false;
};

}  // namespace gtvmin
