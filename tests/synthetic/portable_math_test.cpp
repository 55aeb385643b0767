#include "gtvmin/base/portable_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace gtvmin {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(PortableMath, AgreesWithTheStandardLibraryToAFewUnitsInTheLastPlace) {
  for (double x = -740; x <= 709; x += 0.37) {
    const double relative = x < -708 ? 1e-3 : 1e-15;  // subnormal results have fewer digits
    EXPECT_NEAR(portable_exp(x), std::exp(x), relative * std::exp(x)) << "x = " << x;
  }
  for (double x = 1e-300; x < 1e300; x *= 7.3) {
    EXPECT_NEAR(portable_log(x), std::log(x), 1e-15 * std::abs(std::log(x))) << "x = " << x;
  }
  for (double x = 1e-300; x < 1; x *= 1.9) {
    EXPECT_NEAR(portable_log1p(-x), std::log1p(-x), 1e-15 * std::abs(std::log1p(-x))) << "x = " << -x;
    EXPECT_NEAR(portable_log1p(x), std::log1p(x), 1e-15 * std::log1p(x)) << "x = " << x;
  }
}

TEST(PortableMath, HasTheRightLimits) {
  EXPECT_EQ(portable_exp(0), 1);
  EXPECT_EQ(portable_exp(1000), kInfinity);
  EXPECT_EQ(portable_exp(-1000), 0);
  EXPECT_EQ(portable_log(1), 0);
  EXPECT_EQ(portable_log(0), -kInfinity);
  EXPECT_EQ(portable_log1p(0), 0);
}

}  // namespace
}  // namespace gtvmin
