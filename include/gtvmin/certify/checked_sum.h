#pragma once

#include <cmath>

#include "gtvmin/base/double_double.h"
#include "gtvmin/base/types.h"

namespace gtvmin {

/// A sum in twice the precision of a double, with the sum of magnitudes, which bounds its rounding error.
struct CheckedSum {
  DoubleDouble sum;
  double magnitude = 0;
  Index terms = 0;

  void add(const DoubleDouble& x) {
    sum.add(x);
    magnitude += std::abs(x.high);
    ++terms;
  }
  void add(double x) {
    sum.add(x);
    magnitude += std::abs(x);
    ++terms;
  }
  void add(const CheckedSum& other) {
    sum.add(other.sum);
    magnitude += other.magnitude;
    terms += other.terms + 1;
  }
  [[nodiscard]] double value() const { return sum.value(); }
  /// Of the value: every term and every addition has a relative error of at most 2⁻¹⁰².
  [[nodiscard]] double error() const {
    constexpr double kUnitOfTerm = 0x1p-102;
    constexpr double kTiny = 0x1p-1000;  // products below the range of doubles
    return magnitude * (2 * static_cast<double>(terms) + 4) * kUnitOfTerm + static_cast<double>(terms) * kTiny +
           0x1p-52 * std::abs(value());
  }
};

/// Many of them, for vectors that are added coordinate by coordinate.
class CheckedSums {
 public:
  explicit CheckedSums(Index size) : high_(Vector::Zero(size)), low_(high_), magnitude_(high_) {}

  void clear() {
    for (Vector* part : {&high_, &low_, &magnitude_}) part->setZero();
    terms_ = 0;
  }

  /// Adds scale·x, scale a power of two or its negative.
  void add(const double* x, double scale) {
    double* const high = high_.data();
    double* const low = low_.data();
    double* const magnitude = magnitude_.data();
    const Index size = high_.size();
    for (Index k = 0; k < size; ++k) {
      DoubleDouble sum{high[k], low[k]};
      sum.add(scale * x[k]);
      high[k] = sum.high;
      low[k] = sum.low;
      magnitude[k] += std::abs(x[k]);
    }
    ++terms_;
  }
  [[nodiscard]] CheckedSum operator[](Index k) const { return {{high_[k], low_[k]}, magnitude_[k], terms_}; }

 private:
  Vector high_;
  Vector low_;
  Vector magnitude_;
  Index terms_ = 0;
};

}  // namespace gtvmin
