#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "gtvmin/base/stop.h"

namespace gtvmin {

/// std::sort that polls `stop` about every million elements; false, and any order, if it was stopped.
template <class Iterator, class Less>
[[nodiscard]] bool sort_unless_stopped(Iterator first, Iterator last, const Less& less, const Stop& stop) {
  constexpr std::ptrdiff_t kRun = 1 << 20;
  const std::ptrdiff_t count = std::distance(first, last);
  for (std::ptrdiff_t begin = 0; begin < count; begin += kRun) {
    if (stopped(stop)) return false;
    std::sort(first + begin, first + std::min(begin + kRun, count), less);
  }
  for (std::ptrdiff_t run = kRun; run < count; run *= 2) {
    for (std::ptrdiff_t begin = 0; begin + run < count; begin += 2 * run) {
      if (stopped(stop)) return false;
      std::inplace_merge(first + begin, first + begin + run, first + std::min(begin + 2 * run, count), less);
    }
  }
  return !stopped(stop);
}

}  // namespace gtvmin
