#pragma once

#include <string>
#include <vector>

#include "gtvmin/base/stop.h"
#include "gtvmin/base/types.h"
#include "gtvmin/problem/dataset.h"

namespace gtvmin {

/// The map x ↦ (x − mean) / scale, one mean and one scale per feature.
struct Standardization {
  Vector means;
  Vector scales;
  /// Names of the features that are the same in every sample; their scale is 1.
  std::vector<std::string> constant_features;
};

/// Brings every feature to mean 0 and standard deviation 1 (divisor n) over all samples. Labels stay as they are.
/// Once `stop` says so, the features that are left stay as they are, and the result must not be used.
Standardization standardize_features(Dataset& dataset, const Stop& stop = {});

}  // namespace gtvmin
