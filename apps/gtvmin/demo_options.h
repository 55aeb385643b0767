#pragma once

#include <cstdint>
#include <string>

#include "gtvmin/options/option_set.h"

namespace gtvmin::app {

/// Options of `gtvmin demo sacramento`; the values here are the defaults.
struct HouseDemoSettings {
  std::string data;
  std::string out;
  bool force = false;
  std::int64_t withheld = 200;
  std::int64_t neighbours = 5;
  int folds = 5;
  std::int64_t seed = 1;
};

/// The one place where these options are declared. `settings` must outlive the set.
[[nodiscard]] OptionSet declare_house_demo_options(HouseDemoSettings& settings);

}  // namespace gtvmin::app
