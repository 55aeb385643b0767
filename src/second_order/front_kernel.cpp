#include "gtvmin/second_order/front_kernel.h"

#include <algorithm>
#include <cmath>

// Packets are template arguments here, which drops only attributes of alignment.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wignored-attributes"

namespace gtvmin {
namespace {

using WidePacket = Eigen::internal::packet_traits<double>::type;
template <class Packet>
constexpr Index kLanes = Eigen::internal::unpacket_traits<Packet>::size;
/// Columns that are factorised at once, and columns of a tile of the rank update.
constexpr Index kTileColumns = 4;

/// C −= A Bᵀ for a tile of `Packets` packets of rows and `Columns` columns; k is the number of columns of A and B.
template <class Packet, int Packets, int Columns>
void update_tile(double* c, Index ldc, const double* a, Index lda, const double* b, Index ldb, Index k) {
  using namespace Eigen::internal;
  Packet sum[Columns][Packets];
  for (int j = 0; j < Columns; ++j) {
    for (int i = 0; i < Packets; ++i) sum[j][i] = pset1<Packet>(0.0);
  }
  for (Index p = 0; p < k; ++p, a += lda, b += ldb) {
    Packet rows[Packets];
    for (int i = 0; i < Packets; ++i) rows[i] = ploadu<Packet>(a + i * kLanes<Packet>);
    for (int j = 0; j < Columns; ++j) {
      const Packet factor = pset1<Packet>(b[j]);
      for (int i = 0; i < Packets; ++i) sum[j][i] = pmadd(rows[i], factor, sum[j][i]);
    }
  }
  for (int j = 0; j < Columns; ++j) {
    for (int i = 0; i < Packets; ++i) {
      double* const to = c + j * ldc + i * kLanes<Packet>;
      pstoreu(to, psub(ploadu<Packet>(to), sum[j][i]));
    }
  }
}

/// Rows i … m − 1 of a strip of columns, in packets that get narrower towards the end.
template <class Packet, int Columns>
void update_strip(double* c, Index ldc, Index i, Index m, const double* a, Index lda, const double* b, Index ldb,
                  Index k) {
  if constexpr (kLanes<Packet> == kLanes<WidePacket>) {
    for (; m - i >= 3 * kLanes<Packet>; i += 3 * kLanes<Packet>) {
      update_tile<Packet, 3, Columns>(c + i, ldc, a + i, lda, b, ldb, k);
    }
    if (m - i >= 2 * kLanes<Packet>) {
      update_tile<Packet, 2, Columns>(c + i, ldc, a + i, lda, b, ldb, k);
      i += 2 * kLanes<Packet>;
    }
  }
  for (; m - i >= kLanes<Packet>; i += kLanes<Packet>) {
    update_tile<Packet, 1, Columns>(c + i, ldc, a + i, lda, b, ldb, k);
  }
  if constexpr (kLanes < Packet >> 1) {
    using Half = typename Eigen::internal::unpacket_traits<Packet>::half;
    if (i == m) return;
    if constexpr (kLanes<Half> < kLanes<Packet>) {
      update_strip<Half, Columns>(c, ldc, i, m, a, lda, b, ldb, k);
    } else {
      update_strip<double, Columns>(c, ldc, i, m, a, lda, b, ldb, k);
    }
  }
}

/// C −= A Bᵀ with m rows and n ≤ 4 columns.
void update_columns(double* c, Index ldc, Index m, Index n, const double* a, Index lda, const double* b, Index ldb,
                    Index k) {
  switch (n) {
    case 1:
      return update_strip<WidePacket, 1>(c, ldc, 0, m, a, lda, b, ldb, k);
    case 2:
      return update_strip<WidePacket, 2>(c, ldc, 0, m, a, lda, b, ldb, k);
    case 3:
      return update_strip<WidePacket, 3>(c, ldc, 0, m, a, lda, b, ldb, k);
    default:
      return update_strip<WidePacket, 4>(c, ldc, 0, m, a, lda, b, ldb, k);
  }
}

/// Rows i … m − 1 of X Lᵀ = A in place for a lower triangular L of n ≤ 4 columns, given with the reciprocals of its
/// diagonal.
template <class Packet>
void solve_strip(double* a, Index lda, Index i, Index m, const double* l, Index ldl, const double* reciprocal,
                 Index n) {
  using namespace Eigen::internal;
  for (; m - i >= kLanes<Packet>; i += kLanes<Packet>) {
    Packet x[kTileColumns];
    for (Index c = 0; c < n; ++c) {
      Packet sum = ploadu<Packet>(a + i + c * lda);
      for (Index p = 0; p < c; ++p) sum = psub(sum, pmul(x[p], pset1<Packet>(l[c + p * ldl])));
      x[c] = pmul(sum, pset1<Packet>(reciprocal[c]));
      pstoreu(a + i + c * lda, x[c]);
    }
  }
  if constexpr (kLanes < Packet >> 1) {
    using Half = typename unpacket_traits<Packet>::half;
    if (i == m) return;
    if constexpr (kLanes<Half> < kLanes<Packet>) {
      solve_strip<Half>(a, lda, i, m, l, ldl, reciprocal, n);
    } else {
      solve_strip<double>(a, lda, i, m, l, ldl, reciprocal, n);
    }
  }
}

/// Cholesky factor of the leading n × n block, n ≤ 4, and the reciprocals of its diagonal.
bool factorise_tile(double* a, Index lda, Index n, double* reciprocal) {
  for (Index c = 0; c < n; ++c) {
    for (Index p = 0; p < c; ++p) {
      const double factor = a[c + p * lda];
      for (Index i = c; i < n; ++i) a[i + c * lda] -= factor * a[i + p * lda];
    }
    double& pivot = a[c + c * lda];
    if (!(pivot > 0) || !std::isfinite(pivot)) return false;
    pivot = std::sqrt(pivot);
    reciprocal[c] = 1 / pivot;
    for (Index i = c + 1; i < n; ++i) a[i + c * lda] *= reciprocal[c];
  }
  return true;
}

/// Left-looking Cholesky factorisation of w columns with m ≥ w rows.
bool factorise_columns(double* a, Index lda, Index w, Index m) {
  for (Index j = 0; j < w; j += kTileColumns) {
    const Index n = std::min(kTileColumns, w - j);
    double* const tile = a + j + j * lda;
    if (j > 0) update_columns(tile, lda, m - j, n, a + j, lda, a + j, lda, j);
    double reciprocal[kTileColumns];
    if (!factorise_tile(tile, lda, n, reciprocal)) return false;
    solve_strip<WidePacket>(tile, lda, n, m - j, tile, lda, reciprocal, n);
  }
  return true;
}

/// X Lᵀ = A in place for m rows of A and a lower triangular L of w columns.
void solve_rows(double* a, Index lda, Index m, const double* l, Index ldl, Index w) {
  for (Index j = 0; j < w; j += kTileColumns) {
    const Index n = std::min(kTileColumns, w - j);
    if (j > 0) update_columns(a + j * lda, lda, m, n, a, lda, l + j, ldl, j);
    const double* const tile = l + j + j * ldl;
    double reciprocal[kTileColumns];
    for (Index c = 0; c < n; ++c) reciprocal[c] = 1 / tile[c + c * ldl];
    solve_strip<WidePacket>(a + j * lda, lda, 0, m, tile, ldl, reciprocal, n);
  }
}

using Block = Eigen::Map<Matrix, 0, Eigen::OuterStride<>>;
using ConstBlock = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>;

constexpr Index kPanelColumns = 128;
constexpr Index kTileRows = 192;

/// C −= A Aᵀ[:, 0 … n − 1] for the lower part of the m × n matrix C, in pieces.
void update_lower(const FrontTeam& team, double* c, Index ldc, Index m, Index n, const double* a, Index lda, Index k) {
  const Index row_tiles = (m + kTileRows - 1) / kTileRows;
  const Index column_tiles = (n + kTileRows - 1) / kTileRows;
  team.run(row_tiles * column_tiles, [&](Index piece) {
    const Index i = piece % row_tiles * kTileRows;
    const Index j = piece / row_tiles * kTileRows;
    if (i < j) return;
    const Index height = std::min(kTileRows, m - i);
    const Index width = std::min(kTileRows, n - j);
    Block(c + i + j * ldc, height, width, Eigen::OuterStride<>(ldc)).noalias() -=
        ConstBlock(a + i, height, k, Eigen::OuterStride<>(lda)) *
        ConstBlock(a + j, width, k, Eigen::OuterStride<>(lda)).transpose();
  });
}

}  // namespace

bool eliminate_front(const Front& front) {
  const Index m = front.w + front.r;
  if (!factorise_columns(front.panel, m, front.w, m)) return false;
  const double* const below = front.panel + front.w;
  for (Index j = 0; j < front.r; j += kTileColumns) {
    update_columns(front.update + j + j * front.r, front.r, front.r - j, std::min(kTileColumns, front.r - j), below + j,
                   m, below + j, m, front.w);
  }
  return true;
}

bool eliminate_front(const Front& front, const FrontTeam& team) {
  const Index m = front.w + front.r;
  for (Index j = 0; j < front.w; j += kPanelColumns) {
    if (team.stop()) return false;
    const Index n = std::min(kPanelColumns, front.w - j);
    double* const tile = front.panel + j + j * m;
    if (!factorise_columns(tile, m, n, n)) return false;
    const Index below = m - j - n;
    constexpr Index kChunkRows = 96;
    team.run((below + kChunkRows - 1) / kChunkRows, [&](Index piece) {
      const Index begin = piece * kChunkRows;
      solve_rows(tile + n + begin, m, std::min(kChunkRows, below - begin), tile, m, n);
    });
    update_lower(team, tile + n + n * m, m, below, front.w - j - n, tile + n, m, n);
  }
  if (team.stop()) return false;
  update_lower(team, front.update, front.r, front.r, front.r, front.panel + front.w, m, front.w);
  return true;
}

}  // namespace gtvmin

#pragma GCC diagnostic pop
