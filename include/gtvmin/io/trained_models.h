#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gtvmin/base/stop.h"
#include "gtvmin/problem/dataset.h"
#include "gtvmin/problem/model.h"
#include "gtvmin/problem/problem.h"
#include "gtvmin/problem/standardize.h"

namespace gtvmin {

/// The models that a run has trained, whichever method it used: what `gtvmin evaluate` and `gtvmin predict` read back.
struct TrainedModels {
  const Dataset& dataset;
  std::string model_name;
  const LocalModel& model;
  const Problem& problem;
  const Matrix& parameters;   ///< all parameters of every node, private ones included
  const Partition& clusters;  ///< nodes that share a model
  std::string method;
  std::int64_t seed = 0;
  /// The options of the run as a JSON object.
  std::string options_json = "{}";
  std::optional<Standardization> standardization;
  std::vector<std::string> warnings;
};

// Once `stop` says so, a text ends early and must not be used.

/// `node`, then one column per parameter of the model, private ones included, in the units people see.
[[nodiscard]] std::string parameters_csv(const TrainedModels& trained, const Stop& stop = {});
/// `node,cluster`, clusters numbered from 0.
[[nodiscard]] std::string clusters_csv(const TrainedModels& trained, const Stop& stop = {});

}  // namespace gtvmin
