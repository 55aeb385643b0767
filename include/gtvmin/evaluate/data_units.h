#pragma once

#include <optional>

#include "gtvmin/base/types.h"
#include "gtvmin/problem/dataset.h"
#include "gtvmin/problem/model.h"
#include "gtvmin/problem/standardize.h"

namespace gtvmin {

/// Brings the features of `dataset` to the units of a training set that was standardised with `map`.
void apply_standardization(const Standardization& map, Dataset& dataset);

/// Parameters (coordinates × nodes) that were learnt from standardised features, as parameters for the features as they
/// were. Without an intercept the constant that this adds to every prediction has nowhere to go and is dropped. Nothing
/// for models in which features do not enter linearly.
[[nodiscard]] std::optional<Matrix> in_data_units(const ModelSpec& model, const Standardization& map,
                                                  ConstMatrixRef learnt);

}  // namespace gtvmin
