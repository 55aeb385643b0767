#pragma once

#include <string>

#include "gtvmin/io/baseline_files.h"

namespace gtvmin::app {

/// What a person is told at the end of a run of another method.
[[nodiscard]] std::string baseline_report(const Baseline& baseline, const BaselineRecord& run,
                                          const std::string& directory);

}  // namespace gtvmin::app
