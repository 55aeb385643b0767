#include "gtvmin/base/double_double.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "gtvmin/base/exact_sum.h"
#include "gtvmin/base/rng.h"
#include "gtvmin/certify/checked_sum.h"

namespace gtvmin {
namespace {

double random_double(Rng& rng, int exponents) {
  return std::ldexp(rng.normal(), static_cast<int>(rng.below(2 * exponents)) - exponents);
}

/// x − Σ terms, without rounding but for the last.
double difference(const DoubleDouble& x, const std::vector<double>& terms) {
  ExactSum sum;
  sum.add(x.high);
  sum.add(x.low);
  for (const double term : terms) sum.add(-term);
  return sum.value();
}

TEST(DoubleDouble, ExactSumKeepsWhatADoubleLoses) {
  const DoubleDouble sum = DoubleDouble::exact_sum(1, 0x1p-70);
  EXPECT_EQ(sum.high, 1);
  EXPECT_EQ(sum.low, 0x1p-70);
  Rng rng(1);
  for (int k = 0; k < 10'000; ++k) {
    const double a = random_double(rng, 60);
    const double b = random_double(rng, 60);
    EXPECT_EQ(difference(DoubleDouble::exact_sum(a, b), {a, b}), 0);
  }
}

// (1 + 2⁻³⁰)² = 1 + 2⁻²⁹ + 2⁻⁶⁰.
TEST(DoubleDouble, ExactProductHasAllBits) {
  const double a = 1 + 0x1p-30;
  const DoubleDouble square = DoubleDouble::exact_product(a, a);
  EXPECT_EQ(square.high, 1 + 0x1p-29);
  EXPECT_EQ(square.low, 0x1p-60);
  Rng rng(2);
  for (int k = 0; k < 10'000; ++k) {
    // Factors of 32 bits: the product is exact in the 64 bits of a long double.
    const auto x = static_cast<double>(rng.below(1U << 31));
    const auto y = static_cast<double>(rng.below(1U << 31));
    const DoubleDouble product = DoubleDouble::exact_product(x, y);
    EXPECT_EQ(static_cast<long double>(product.high) + product.low, static_cast<long double>(x) * y);
  }
}

TEST(DoubleDouble, ProductScalesBothParts) {
  const DoubleDouble product = DoubleDouble::product({1, 0x1p-60}, 3);
  EXPECT_EQ(product.high, 3);
  EXPECT_EQ(product.low, 3 * 0x1p-60);
}

TEST(DoubleDouble, AdditionErrsByLessThanItSays) {
  DoubleDouble small{1, 0};
  small.add(0x1p-100);
  small.add(-1);
  EXPECT_EQ(small.value(), 0x1p-100);
  Rng rng(3);
  for (int k = 0; k < 10'000; ++k) {
    const DoubleDouble a = DoubleDouble::exact_sum(random_double(rng, 30), random_double(rng, 30));
    const DoubleDouble b = DoubleDouble::exact_sum(random_double(rng, 30), random_double(rng, 30));
    DoubleDouble sum = a;
    sum.add(b);
    EXPECT_LE(std::abs(difference(sum, {a.high, a.low, b.high, b.low})),
              0x1p-104 * (std::abs(a.high) + std::abs(b.high)));
  }
}

TEST(CheckedSum, ErrsByNoMoreThanItsError) {
  Rng rng(4);
  for (int trial = 0; trial < 200; ++trial) {
    CheckedSum sum;
    std::vector<double> terms;
    for (int k = 0; k < 100; ++k) terms.push_back(random_double(rng, 40));
    for (int k = 0; k < 100; ++k) terms.push_back(-terms[k] * (1 + 0x1p-50 * rng.normal()));
    for (const double term : terms) sum.add(term);
    EXPECT_LE(std::abs(difference({sum.value(), 0}, terms)), sum.error());
    EXPECT_LE(sum.error(), 1e-25 * sum.magnitude + 1e-15 * std::abs(sum.value()));
  }
}

TEST(CheckedSums, AreThatOfEveryCoordinate) {
  Rng rng(5);
  constexpr Index kSize = 7;
  CheckedSums all(kSize);
  std::vector<CheckedSum> each(kSize);
  for (int k = 0; k < 50; ++k) {
    const double sign = k % 2 == 0 ? 1 : -1;
    Vector x(kSize);
    for (Index j = 0; j < kSize; ++j) {
      x[j] = random_double(rng, 40);
      each[j].add(sign * x[j]);
    }
    all.add(x.data(), sign);
  }
  for (Index j = 0; j < kSize; ++j) {
    EXPECT_EQ(all[j].value(), each[j].value());
    EXPECT_EQ(all[j].error(), each[j].error());
  }
  all.clear();
  EXPECT_EQ(all[0].value(), 0);
  EXPECT_EQ(all[0].terms, 0);
}

}  // namespace
}  // namespace gtvmin
