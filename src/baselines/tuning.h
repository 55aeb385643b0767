#pragma once

#include "gtvmin/baselines/baseline.h"

namespace gtvmin {

struct Tuning {
  BaselineOptions options;  ///< with the best value of every parameter that was open
  std::vector<TuningRow> rows;
  std::string by;
  /// Parameters whose best value is at an end of their grid, with a better score than the next one inside: the best
  /// may lie beyond, unless that is refused.
  std::vector<std::string> notes;
};

/// Tries every combination of the values of open parameters that the method does not refuse.
[[nodiscard]] Result<Tuning> tune(const Baseline& baseline, const BaselineInput& input, const BaselineOptions& options,
                                  const std::function<bool()>& interrupted = {});

/// The samples of every node in two parts: `held_out` has share·m_i of them, rounded, but leaves at least one.
struct HeldOutSplit {
  Dataset training;
  Dataset held_out;
};
[[nodiscard]] HeldOutSplit hold_out(const Dataset& dataset, double share, std::uint64_t seed);

}  // namespace gtvmin
