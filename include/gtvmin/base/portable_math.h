#pragma once

namespace gtvmin {

/// Elementary functions from correctly rounded operations only, so that random numbers made with them have the same
/// bits on every machine (libm's differ). Accurate to a few units in the last place.

/// log x for finite x > 0; −∞ at 0.
[[nodiscard]] double portable_log(double x);
/// log(1 + x) for finite x > −1, accurate also where x is tiny.
[[nodiscard]] double portable_log1p(double x);
/// eˣ; 0 and +∞ where it under- and overflows.
[[nodiscard]] double portable_exp(double x);

}  // namespace gtvmin
