#pragma once

#include <vector>

#include "gtvmin/base/result.h"
#include "gtvmin/problem/dataset.h"

namespace gtvmin {

struct LaggedSeries {
  /// One sample for every value whose `order` predecessors are there: features lag1 … lag<order>, the value as label.
  Dataset samples;
  /// How many windows were left out because a time in them is missing.
  Index gaps = 0;
};

/// What an autoregressive model of an order learns from. In `series` the label of a row is the value and its only
/// feature the time; rows may be in any order. Times step by the smallest difference found anywhere; a window with a
/// longer step is a gap. Fails on a time that stands twice at a node, and if no node has order + 1 values in a row.
[[nodiscard]] Result<LaggedSeries> lagged_samples(const Dataset& series, int order);

/// Where a series ends, and the values before that, latest first.
struct SeriesEnd {
  NodeId node = 0;
  double time = 0;
  double step = 0;
  Vector lags;
};

/// The ends of all series from which an autoregressive model of an order can go on. Fails like lagged_samples, and on a
/// node whose last values are fewer than the order or have a gap.
[[nodiscard]] Result<std::vector<SeriesEnd>> series_ends(const Dataset& series, int order);

}  // namespace gtvmin
