#include "gtvmin/base/stop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "gtvmin/base/rng.h"
#include "gtvmin/base/stoppable_sort.h"

namespace gtvmin {
namespace {

TEST(StopPoll, AsksOncePerIntervalAndRemembersTheAnswer) {
  int asked = 0;
  StopPoll poll([&] { return ++asked == 2; }, 10);
  int units = 0;
  while (!poll()) ++units;
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(units, 19);
  EXPECT_TRUE(poll());
  EXPECT_TRUE(poll.has_stopped());
  EXPECT_EQ(asked, 2);
}

TEST(StopPoll, WithoutStopNeverEnds) {
  StopPoll poll{Stop()};
  for (int k = 0; k < 100000; ++k) ASSERT_FALSE(poll());
}

TEST(SortUnlessStopped, SortsAsStdSortDoes) {
  Rng rng(5);
  for (const std::size_t size : {0, 1, 1000, 3'300'000}) {
    std::vector<std::uint64_t> numbers(size);
    for (auto& number : numbers) number = rng.bits();
    std::vector<std::uint64_t> expected = numbers;
    std::sort(expected.begin(), expected.end());
    int asked = 0;
    EXPECT_TRUE(sort_unless_stopped(numbers.begin(), numbers.end(), std::less<>(), [&] { return ++asked < 0; }));
    EXPECT_EQ(numbers, expected);
    EXPECT_GE(asked, static_cast<int>(size >> 20U));
  }
}

TEST(SortUnlessStopped, Stops) {
  std::vector<int> numbers = {3, 1, 2};
  EXPECT_FALSE(sort_unless_stopped(numbers.begin(), numbers.end(), std::less<>(), [] { return true; }));
}

}  // namespace
}  // namespace gtvmin
