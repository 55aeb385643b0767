// The primal weight: what it makes of movements and gaps.
#include "gtvmin/solver/steering.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gtvmin {
namespace {

/// A check at which w moved `ratio` times as far as u, in the norms of the method with weight 1.
SteeringSums moved(double ratio, double gap) {
  SteeringSums sums;
  sums.sums[SteeringSums::kPrimalMove2].add(ratio * ratio);
  sums.sums[SteeringSums::kDualMove2].add(1);
  sums.sums[SteeringSums::kEdgeGap].add(gap);
  return sums;
}

TEST(PrimalWeight, MovesToWhereMovementsAreInBalance) {
  for (const double balanced : {1e-4, 1e-1, 1e2, 1e5}) {
    PrimalWeight weight;
    double gap = 1;
    for (int check = 0; check < 40; ++check) weight.adapt(moved(balanced, gap *= 0.9));
    EXPECT_LE(std::abs(std::log(weight.value() / balanced)), std::log(2.0));
    const std::int64_t changes = weight.changes();
    weight.adapt(moved(balanced, gap));
    EXPECT_EQ(weight.changes(), changes);
  }
}

TEST(PrimalWeight, ReturnsToTheLeastGapWhereBalanceCannotBeFound) {
  PrimalWeight weight;
  double highest = 0;
  for (int check = 0; check < 200; ++check) {
    // w outruns u at every ω, and the gap is least at ω = 10.
    weight.adapt(moved(100 * weight.value(), std::max(weight.value() / 10, 10 / weight.value())));
    highest = std::max(highest, weight.value());
  }
  EXPECT_GT(highest, 100);
  EXPECT_LT(highest, 1e5);
}

TEST(PrimalWeight, ForgetsGapsOfBeforeWhenItStartsAgain) {
  PrimalWeight weight;
  weight.adapt(moved(1, 1e-9));
  weight.restart(1000);
  EXPECT_EQ(weight.value(), 1000);
  weight.adapt(moved(1e6, 1));
  EXPECT_GT(weight.value(), 1000);
}

}  // namespace
}  // namespace gtvmin
