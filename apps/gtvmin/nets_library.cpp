#include "nets_library.h"

extern "C" void gtvmin_make_torch_model(const gtvmin::ModelSpec& model, const gtvmin::TorchSpec& net,
                                        const gtvmin::ModelShape& shape, gtvmin::Result<gtvmin::ModelPtr>& made) {
  made = gtvmin::make_torch_model(model, net, shape);
}
