#include "gtvmin/evaluate/adjusted_rand_index.h"

#include <gtest/gtest.h>

#include <vector>

#include "gtvmin/base/rng.h"

namespace gtvmin {
namespace {

using Groups = std::vector<NodeId>;

double index_of(const Groups& a, const Groups& b) { return adjusted_rand_index(a, b); }

TEST(AdjustedRandIndex, MatchesValuesByHand) {
  // Six pairs; a joins 2 of them, b joins 1, both join 1. By chance 2·1/6 = 1/3, at most (2 + 1)/2 = 3/2:
  // (1 − 1/3)/(3/2 − 1/3) = 4/7.
  EXPECT_DOUBLE_EQ(index_of({0, 0, 1, 1}, {0, 0, 1, 2}), 4.0 / 7);
  EXPECT_DOUBLE_EQ(index_of({0, 0, 1, 2}, {0, 0, 1, 1}), 4.0 / 7);
  // Both join 2, none in common; by chance 2·2/6 = 2/3: (0 − 2/3)/(2 − 2/3) = −1/2.
  EXPECT_DOUBLE_EQ(index_of({0, 0, 1, 1}, {0, 1, 0, 1}), -0.5);
  // Fifteen pairs; a = {3, 3} joins 6, b = {2, 4} joins 7, both 1 + 3 = 4; by chance 14/5, at most 13/2:
  // (4 − 14/5)/(13/2 − 14/5) = 12/37.
  EXPECT_DOUBLE_EQ(index_of({0, 0, 0, 1, 1, 1}, {0, 0, 1, 1, 1, 1}), 12.0 / 37);
}

TEST(AdjustedRandIndex, DoesNotDependOnTheNumbering) { EXPECT_EQ(index_of({0, 0, 1, 1, 2}, {7, 7, 3, 3, 0}), 1); }

TEST(AdjustedRandIndex, IsOneForEqualTrivialPartitionsAndZeroForOppositeOnes) {
  EXPECT_EQ(index_of({0, 0, 0}, {4, 4, 4}), 1);
  EXPECT_EQ(index_of({0, 1, 2}, {2, 0, 1}), 1);
  EXPECT_EQ(index_of({0}, {0}), 1);
  EXPECT_EQ(index_of({0, 0, 0}, {0, 1, 2}), 0);
  EXPECT_EQ(index_of({0, 0, 0, 0}, {0, 0, 1, 1}), 0);
}

TEST(AdjustedRandIndex, IsAboutZeroForUnrelatedPartitions) {
  Rng rng(3);
  Groups a;
  Groups b;
  for (int i = 0; i < 20'000; ++i) {
    a.push_back(static_cast<NodeId>(rng.below(3)));
    b.push_back(static_cast<NodeId>(rng.below(5)));
  }
  EXPECT_NEAR(index_of(a, b), 0, 1e-3);
}

}  // namespace
}  // namespace gtvmin
