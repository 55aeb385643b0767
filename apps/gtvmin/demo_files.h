#pragma once

#include <string>

#include "gtvmin/problem/dataset.h"
#include "solve_options.h"

namespace gtvmin::app {

/// The samples of a dataset in the format of --data.
[[nodiscard]] std::string samples_csv(const Dataset& dataset, const std::string& label);
/// The edges of a dataset in the format of --edges.
[[nodiscard]] std::string graph_csv(const Dataset& dataset);
/// The options that differ from their defaults, without out and force, as a TOML file.
[[nodiscard]] std::string run_toml(SolveSettings settings);

}  // namespace gtvmin::app
