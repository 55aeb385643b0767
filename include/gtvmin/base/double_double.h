#pragma once

#include <cmath>

namespace gtvmin {

/// An unevaluated sum of two doubles, some 106 bits (Dekker; Knuth). Needs arithmetic without contraction.
struct DoubleDouble {
  double high = 0;
  double low = 0;

  /// *this += x, with a relative error of 2⁻¹⁰⁴ of the larger magnitude.
  void add(double x) {
    const DoubleDouble sum = exact_sum(high, x);
    *this = quick_sum(sum.high, sum.low + low);
  }
  void add(const DoubleDouble& x) {
    const DoubleDouble sum = exact_sum(high, x.high);
    const DoubleDouble rest = exact_sum(low, x.low);
    const DoubleDouble first = quick_sum(sum.high, sum.low + rest.high);
    *this = quick_sum(first.high, first.low + rest.low);
  }
  [[nodiscard]] double value() const { return high + low; }

  /// a + b without error.
  static DoubleDouble exact_sum(double a, double b) {
    const double sum = a + b;
    const double part = sum - a;
    return {sum, (a - (sum - part)) + (b - part)};
  }
  /// a · b without error.
  static DoubleDouble exact_product(double a, double b) {
    const double product = a * b;
    return {product, std::fma(a, b, -product)};
  }
  /// x · a with a relative error of 2⁻¹⁰⁴.
  static DoubleDouble product(const DoubleDouble& x, double a) {
    const DoubleDouble main = exact_product(x.high, a);
    return quick_sum(main.high, main.low + x.low * a);
  }

 private:
  /// a + b for |a| ≥ |b|.
  static DoubleDouble quick_sum(double a, double b) {
    const double sum = a + b;
    return {sum, b - (sum - a)};
  }
};

}  // namespace gtvmin
