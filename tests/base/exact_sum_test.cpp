#include "gtvmin/base/exact_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "gtvmin/base/rng.h"

namespace gtvmin {
namespace {

double exact(const std::vector<double>& summands) {
  ExactSum sum;
  for (const double x : summands) sum.add(x);
  return sum.value();
}

void shuffle(Rng& rng, std::vector<double>& values) {
  for (std::size_t k = values.size(); k > 1; --k) std::swap(values[k - 1], values[rng.below(k)]);
}

std::vector<double> summands_of_all_sizes(Rng& rng) {
  std::vector<double> values;
  for (int k = 0; k < 200; ++k) {
    const double x = std::ldexp(rng.uniform() - 0.5, static_cast<int>(rng.below(2000)) - 1000);
    values.push_back(x);
    if (k % 2 == 0) values.push_back(-x);
  }
  return values;
}

TEST(ExactSum, KnowsSumsThatCancel) {
  EXPECT_EQ(exact({}), 0);
  EXPECT_EQ(exact({1e300, 1, -1e300}), 1);
  EXPECT_EQ(exact({1e300, 1e-300, -1e300}), 1e-300);
  EXPECT_EQ(exact({-1e300, 1e300, -5e-324}), -5e-324);
  EXPECT_EQ(exact({1e308, 1e308, -1e308}), 1e308);
  EXPECT_EQ(exact({0.1, 0.2, 0.3, -0.3, -0.2, -0.1}), 0);
  EXPECT_EQ(exact({1, 0x1p-60, -1}), 0x1p-60);
  EXPECT_EQ(exact({-3.5, 1.25}), -2.25);
}

TEST(ExactSum, DoesNotDependOnTheOrder) {
  Rng rng(1);
  auto values = summands_of_all_sizes(rng);
  const double first = exact(values);
  for (int repeat = 0; repeat < 50; ++repeat) {
    shuffle(rng, values);
    ASSERT_EQ(exact(values), first);
  }
}

TEST(ExactSum, DoesNotDependOnHowPartsAreMerged) {
  Rng rng(2);
  auto values = summands_of_all_sizes(rng);
  const double first = exact(values);
  for (const std::size_t parts : {1U, 2U, 3U, 7U, 50U}) {
    shuffle(rng, values);
    std::vector<ExactSum> sums(parts);
    for (std::size_t k = 0; k < values.size(); ++k) sums[k % parts].add(values[k]);
    ExactSum total;
    for (const auto& sum : sums) total.add(sum);
    EXPECT_EQ(total.value(), first);
  }
}

TEST(ExactSum, IsWithinHalfAUnitOfTheTrueSum) {
  // Multiples of 2⁻⁴⁰ below 2¹⁰: 5000 of them still add up exactly in 64 bits of mantissa.
  Rng rng(3);
  ExactSum sum;
  long double reference = 0;
  for (int k = 0; k < 5000; ++k) {
    const double x = std::ldexp(static_cast<double>(rng.below(std::uint64_t{1} << 50)), -40) - 512;
    sum.add(x);
    reference += x;
  }
  const auto rounded = static_cast<double>(reference);
  EXPECT_LE(std::abs(sum.value() - rounded), std::abs(rounded) * std::numeric_limits<double>::epsilon());
  EXPECT_EQ(sum.extended_value(), reference);
}

TEST(ExactSum, IsNotANumberOnceASummandIsNot) {
  EXPECT_TRUE(std::isnan(exact({1, std::numeric_limits<double>::infinity()})));
  EXPECT_TRUE(std::isnan(exact({std::numeric_limits<double>::quiet_NaN(), 1})));
  ExactSum bad;
  bad.add(std::numeric_limits<double>::infinity());
  ExactSum total;
  total.add(bad);
  EXPECT_TRUE(std::isnan(total.value()));
}

}  // namespace
}  // namespace gtvmin
