// The loss and the penalty of the examples keep the promises that the library relies on.

#include <gtest/gtest.h>

#include "gtvmin/testing/loss_properties.h"
#include "gtvmin/testing/penalty_properties.h"

#define main custom_loss_main
#include "../../examples/custom_loss.cpp"  // NOLINT(bugprone-suspicious-include)
#undef main
#define main custom_penalty_main
#include "../../examples/custom_penalty.cpp"  // NOLINT(bugprone-suspicious-include)
#undef main

TEST(Examples, TheirLossAndPenaltyKeepTheirPromises) {
  EXPECT_LOSS_PROPERTIES_HOLD(HuberLoss(Vector{{1, -2, 0.5}}, 0.7));
  for (const Index d : {1, 2, 3, 7}) {
    EXPECT_PENALTY_PROPERTIES_HOLD(Penalty(CustomPenalty(std::make_unique<RoundedNorm>())), d);
  }
  EXPECT_EQ(custom_loss_main() + custom_penalty_main(), 0);
}
