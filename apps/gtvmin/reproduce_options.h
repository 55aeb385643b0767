#pragma once

#include <string>

#include "gtvmin/options/option_set.h"

namespace gtvmin::app {

/// All that `gtvmin reproduce NAME` can be told.
struct ReproduceSettings {
  std::string name;
  std::string out;
  std::string paper_results;
  std::string data = "results/data";
  bool as_written = false;
  bool as_run = false;
  bool quick = false;
  int threads = 0;
  bool progress = true;
};

/// The one place where the options of `gtvmin reproduce` are declared. `settings` must outlive the set.
[[nodiscard]] OptionSet declare_reproduce_options(ReproduceSettings& settings);

}  // namespace gtvmin::app
