#pragma once

#include <string>

#include "gtvmin/options/option_set.h"
#include "solve_options.h"

namespace gtvmin::app {

/// All that `gtvmin theory` can be told.
struct TheorySettings {
  SolveSettings input;  ///< files, problem and columns; λ = 0: none given
  std::string directory;
  std::string clusters;
  bool critical = false;
  int threads = 0;
};

/// The options, without the first argument RESULT_DIR. `settings` must outlive the set.
[[nodiscard]] OptionSet declare_theory_options(TheorySettings& settings);

/// Takes the options with which the result was made, before those of the command line are applied.
[[nodiscard]] Status apply_result_options(const TheorySettings& settings, OptionSet& options);

/// What no single option can know.
[[nodiscard]] Status check_theory_settings(const TheorySettings& settings);

}  // namespace gtvmin::app
