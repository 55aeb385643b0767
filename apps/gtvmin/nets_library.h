#pragma once

#include "gtvmin/torch/torch_model.h"

namespace gtvmin::app {

/// make_torch_model as the library of neural nets exports it, under the name kMakeTorchModel. Both sides are of one
/// build.
using MakeTorchModel = void (*)(const ModelSpec& model, const TorchSpec& net, const ModelShape& shape,
                                Result<ModelPtr>& made);
constexpr const char* kMakeTorchModel = "gtvmin_make_torch_model";

}  // namespace gtvmin::app
