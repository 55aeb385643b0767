#pragma once

#include "gtvmin/base/types.h"

namespace gtvmin {

/// ‖a − b‖² over d numbers, from the differences themselves: equal vectors have distance 0, and a and b may change
/// places without changing a bit.
[[nodiscard]] double squared_distance(const double* a, const double* b, Index d);

/// out(i, j) = squared_distance(a_i, b_j) for all columns of a and b, the same bits, some ten times as fast.
/// `out` has a.cols() rows and b.cols() columns.
void squared_distances(ConstMatrixRef a, ConstMatrixRef b, MatrixRef out);

}  // namespace gtvmin
