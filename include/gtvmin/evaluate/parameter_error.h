#pragma once

#include "gtvmin/base/types.h"

namespace gtvmin {

struct ParameterError {
  /// The paper's MSE: (1/nodes) Σ_i ‖ŵ_i − w̄_i‖².
  double mse = 0;
  /// mse / coordinates: the squared error of one coordinate, on average.
  double per_coordinate = 0;
  /// (1/nodes) Σ_i (ŵ_i − w̄_i)_k² for each coordinate k; sums to mse.
  Vector by_coordinate;
};

/// Learnt against true parameters, both coordinates × nodes with at least one of each.
[[nodiscard]] ParameterError parameter_error(ConstMatrixRef learnt, ConstMatrixRef truth);

}  // namespace gtvmin
