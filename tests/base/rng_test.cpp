#include "gtvmin/base/rng.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <set>

namespace gtvmin {
namespace {

// Golden bits: data made from a seed must stay the same on every machine and in every version.
TEST(Rng, KeepsItsGoldenBits) {
  Rng rng(42);
  EXPECT_EQ(rng.bits(), 1865750160070900731ULL);
  EXPECT_EQ(rng.bits(), 6791145067590612263ULL);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(rng.uniform()), 4605068805880082436ULL);
  EXPECT_EQ(rng.below(1000), 334U);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(rng.normal()), 4593040652413388256ULL);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(rng.normal()), 4601540902885063123ULL);
  Rng other_stream(42, 1);
  EXPECT_EQ(other_stream.bits(), 14049728980325739901ULL);
}

TEST(Rng, HasTheMomentsItShouldHave) {
  Rng rng(7);
  constexpr int kDraws = 200000;
  double uniform_sum = 0;
  double normal_sum = 0;
  double normal_squares = 0;
  double normal_fourth = 0;
  for (int k = 0; k < kDraws; ++k) {
    const double u = rng.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    uniform_sum += u;
    const double z = rng.normal();
    normal_sum += z;
    normal_squares += z * z;
    normal_fourth += z * z * z * z;
  }
  // Five standard deviations of each mean.
  const double unit = 5 / std::sqrt(kDraws);
  EXPECT_NEAR(uniform_sum / kDraws, 0.5, unit * std::sqrt(1.0 / 12));
  EXPECT_NEAR(normal_sum / kDraws, 0, unit);
  EXPECT_NEAR(normal_squares / kDraws, 1, unit * std::sqrt(2.0));
  EXPECT_NEAR(normal_fourth / kDraws, 3, unit * std::sqrt(96.0));
}

TEST(Rng, BelowReachesEveryNumberAboutEquallyOften) {
  Rng rng(8);
  int counts[7] = {};
  for (int k = 0; k < 70000; ++k) ++counts[rng.below(7)];
  for (const int count : counts) EXPECT_NEAR(count, 10000, 500);
  EXPECT_EQ(rng.below(1), 0U);
}

TEST(Rng, ChoosesDistinctNumbersInOrder) {
  Rng rng(9);
  std::set<std::uint64_t> seen;
  for (int repeat = 0; repeat < 200; ++repeat) {
    const auto chosen = rng.choose(20, 5);
    ASSERT_EQ(chosen.size(), 5U);
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      ASSERT_LT(chosen[k], 20U);
      if (k > 0) {
        ASSERT_LT(chosen[k - 1], chosen[k]);
      }
      seen.insert(chosen[k]);
    }
  }
  EXPECT_EQ(seen.size(), 20U);
  EXPECT_EQ(rng.choose(3, 3), (std::vector<std::uint64_t>{0, 1, 2}));
  EXPECT_TRUE(rng.choose(3, 0).empty());
}

}  // namespace
}  // namespace gtvmin
