#pragma once

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

}  // namespace gtvmin
