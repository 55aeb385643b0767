#pragma once

#include <string>

#include "gtvmin/options/option_set.h"

namespace gtvmin::app {

/// All that `gtvmin evaluate RESULT_DIR` can be told.
struct EvaluateSettings {
  std::string directory;
  std::string truth;
  std::string clusters;
  std::string data;
  bool json = false;
};

/// The options, without the first argument RESULT_DIR. `settings` must outlive the set.
[[nodiscard]] OptionSet declare_evaluate_options(EvaluateSettings& settings);

}  // namespace gtvmin::app
