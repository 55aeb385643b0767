#include "gtvmin/evaluate/parameter_error.h"

#include <gtest/gtest.h>

namespace gtvmin {
namespace {

TEST(ParameterError, MatchesAValueByHand) {
  // Differences (1, 2), (0, −1), (3, 0): squared norms 5, 1, 9, their mean 5; by coordinate (1 + 0 + 9)/3 and (4 +
  // 1)/3.
  Matrix truth(2, 3);
  truth << 1, 1, 1, 0, 0, 0;
  Matrix learnt(2, 3);
  learnt << 2, 1, 4, 2, -1, 0;
  const ParameterError error = parameter_error(learnt, truth);
  EXPECT_DOUBLE_EQ(error.mse, 5);
  EXPECT_DOUBLE_EQ(error.per_coordinate, 2.5);
  EXPECT_DOUBLE_EQ(error.by_coordinate[0], 10.0 / 3);
  EXPECT_DOUBLE_EQ(error.by_coordinate[1], 5.0 / 3);
}

}  // namespace
}  // namespace gtvmin
