#pragma once

#include <cstdint>
#include <string>

#include "gtvmin/baselines/baseline.h"
#include "gtvmin/options/option_set.h"
#include "solve_options.h"

namespace gtvmin::app {

/// All that `gtvmin baseline NAME` can be told; a method declares the options that it has.
struct BaselineSettings {
  /// Files, model, columns and output, as of `gtvmin solve`.
  SolveSettings input;
  /// CSV node,cluster: the true clusters.
  std::string clusters;
  BaselineOptions options;
  std::int64_t seed = 1;
};

/// The one place where the options of a method are declared. `settings` must outlive the set.
[[nodiscard]] OptionSet declare_baseline_options(const Baseline& baseline, BaselineSettings& settings);

/// What no single option of a method can know: options that need each other, and those that others make idle.
[[nodiscard]] Status check_method_options(const Baseline& baseline, OptionSet& options,
                                          const BaselineSettings& settings);

/// Fills in what follows from other options.
void apply_dependent_defaults(OptionSet& options, BaselineSettings& settings);

}  // namespace gtvmin::app
