#pragma once

#include <ATen/ATen.h>

#include "gtvmin/base/types.h"

namespace gtvmin {

/// Makes this thread, and those to come, compute without helpers, in libtorch as well as in its BLAS: the threads of
/// the solver work side by side, and results do not depend on how many processors there are.
void compute_alone();

/// A copy of numbers in the wanted precision.
[[nodiscard]] at::Tensor to_tensor(const double* numbers, Index count, at::ScalarType type);
/// Samples (columns) as the rows of a tensor.
[[nodiscard]] at::Tensor to_rows(ConstMatrixRef samples, at::ScalarType type);
/// Copies a tensor to `out`, which has as many numbers.
void to_vector(const at::Tensor& tensor, VectorRef out);
/// Row after row of a tensor as columns of so many numbers.
[[nodiscard]] Matrix to_matrix(const at::Tensor& tensor, Index rows);

}  // namespace gtvmin
