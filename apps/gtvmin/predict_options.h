#pragma once

#include <string>

#include "gtvmin/options/option_set.h"

namespace gtvmin::app {

/// All that `gtvmin predict` can be told; the values here are the defaults.
struct PredictSettings {
  std::string directory;
  std::string data;
  std::string edges;
  std::string out;
  bool force = false;
  int horizon = 1;
};

/// The one place where the options of `gtvmin predict` are declared. `settings` must outlive the set.
[[nodiscard]] OptionSet declare_predict_options(PredictSettings& settings);

}  // namespace gtvmin::app
