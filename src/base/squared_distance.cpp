#include "gtvmin/base/squared_distance.h"

#include <cassert>

#include "gtvmin/base/lanes.h"

namespace gtvmin {
namespace {

/// The distances of A columns from B columns at once: every number that is loaded is used A or B times. Each distance
/// is summed in the same order whatever A and B are.
template <int A, int B>
[[gnu::always_inline]] inline void tile(const double* const* a, const double* const* b, Index d, double* out,
                                        Index stride) {
  Quad sums[A][B] = {};
  Index k = 0;
  for (; k + 4 <= d; k += 4) {
    Quad x[A];
    for (int i = 0; i < A; ++i) x[i] = load<Quad>(a[i] + k);
    for (int j = 0; j < B; ++j) {
      const Quad y = load<Quad>(b[j] + k);
      for (int i = 0; i < A; ++i) {
        const Quad difference = x[i] - y;
        sums[i][j] += difference * difference;
      }
    }
  }
  for (int j = 0; j < B; ++j) {
    for (int i = 0; i < A; ++i) {
      double rest = 0;
      for (Index tail = k; tail < d; ++tail) rest += (a[i][tail] - b[j][tail]) * (a[i][tail] - b[j][tail]);
      const Quad& sum = sums[i][j];
      out[i + j * stride] = (sum[0] + sum[2]) + (sum[1] + sum[3]) + rest;
    }
  }
}

template <int B>
[[gnu::always_inline]] inline void column_strip(ConstMatrixRef a, const double* const* b, double* out, Index stride) {
  constexpr int kRows = 4;
  const Index d = a.rows();
  Index i = 0;
  for (; i + kRows <= a.cols(); i += kRows) {
    const double* rows[kRows];
    for (int r = 0; r < kRows; ++r) rows[r] = a.data() + (i + r) * a.outerStride();
    tile<kRows, B>(rows, b, d, out + i, stride);
  }
  for (; i < a.cols(); ++i) {
    const double* row = a.data() + i * a.outerStride();
    tile<1, B>(&row, b, d, out + i, stride);
  }
}

[[gnu::always_inline]] inline void all_tiles(ConstMatrixRef a, ConstMatrixRef b, MatrixRef out) {
  Index j = 0;
  for (; j + 2 <= b.cols(); j += 2) {
    const double* columns[2] = {b.data() + j * b.outerStride(), b.data() + (j + 1) * b.outerStride()};
    column_strip<2>(a, columns, out.data() + j * out.outerStride(), out.outerStride());
  }
  if (j < b.cols()) {
    const double* column = b.data() + j * b.outerStride();
    column_strip<1>(a, &column, out.data() + j * out.outerStride(), out.outerStride());
  }
}

// The same operations in the same order, compiled a second time for processors with wide registers.
#if defined(__x86_64__)
[[gnu::target("avx2")]] void all_tiles_wide(ConstMatrixRef a, ConstMatrixRef b, MatrixRef out) { all_tiles(a, b, out); }
#endif

}  // namespace

double squared_distance(const double* a, const double* b, Index d) {
  double distance = 0;
  tile<1, 1>(&a, &b, d, &distance, 1);
  return distance;
}

void squared_distances(ConstMatrixRef a, ConstMatrixRef b, MatrixRef out) {
  assert(a.rows() == b.rows() && out.rows() == a.cols() && out.cols() == b.cols());
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return all_tiles_wide(a, b, out);
#endif
  all_tiles(a, b, out);
}

}  // namespace gtvmin
