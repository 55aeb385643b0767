#pragma once

#include <cstring>

#include "gtvmin/base/types.h"

namespace gtvmin {

/// Numbers that are handled together. The compiler maps them to whatever registers the processor has; the arithmetic,
/// and with it every bit of a result, is the same with or without.
using Quad = double __attribute__((vector_size(32)));
using Pair = double __attribute__((vector_size(16)));

template <class Lanes>
[[gnu::always_inline]] inline Lanes load(const double* from) {
  Lanes lanes;
  std::memcpy(&lanes, from, sizeof(Lanes));
  return lanes;
}
template <class Lanes>
[[gnu::always_inline]] inline void store(double* to, const Lanes& lanes) {
  std::memcpy(to, &lanes, sizeof(Lanes));
}

/// Calls f(j, lanes) for j = 0, 4, …: fours first (Quad), then two (Pair), then one (double). `d` is a number or a
/// std::integral_constant, and then all of it unrolls. Everything that touches the same vectors runs through here, so
/// that what was stored together is loaded together.
template <class Dim, class Function>
[[gnu::always_inline]] inline void for_lanes(Dim d, Function&& f) {
  Index j = 0;
  for (; j + 4 <= d; j += 4) f(j, Quad{});
  if (d % 4 >= 2) {
    f(j, Pair{});
    j += 2;
  }
  if (d % 2 == 1) f(j, double{});
}

/// ⟨a, b⟩ over d numbers. Four partial sums, so that additions need not wait for each other; always the same four, so
/// that the bits do not depend on where the vectors lie.
template <class Dim>
[[nodiscard, gnu::always_inline]] inline double inner_product(const double* a, const double* b, Dim d) {
  Quad fours = {0, 0, 0, 0};
  Pair two = {0, 0};
  double one = 0;
  Index j = 0;
  for (; j + 4 <= d; j += 4) fours += load<Quad>(a + j) * load<Quad>(b + j);
  if (d % 4 >= 2) {
    two = load<Pair>(a + j) * load<Pair>(b + j);
    j += 2;
  }
  if (d % 2 == 1) one = a[j] * b[j];
  const Pair halves = Pair{fours[0], fours[1]} + Pair{fours[2], fours[3]} + two;
  return halves[0] + halves[1] + one;
}

}  // namespace gtvmin
