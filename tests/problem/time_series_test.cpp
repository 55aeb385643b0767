#include "gtvmin/problem/time_series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gtvmin {
namespace {

using ::testing::ElementsAre;

/// Node a: values 10, 20, 30, 40 at times 0, 2, 4, 6, in another order; node b: 1, 2 with a gap; node c nothing.
Dataset series() {
  Dataset data;
  data.node_names = {"a", "b", "c"};
  data.feature_names = {"time"};
  data.first_sample = {0, 4, 6, 6};
  data.features = Matrix{{4, 0, 6, 2, 0, 10}};
  data.labels = Vector{{30, 10, 40, 20, 1, 2}};
  return data;
}

TEST(TimeSeries, BecomeSamplesOfTheValuesBefore) {
  const auto lagged = *lagged_samples(series(), 2);
  EXPECT_THAT(lagged.samples.feature_names, ElementsAre("lag1", "lag2"));
  EXPECT_THAT(lagged.samples.first_sample, ElementsAre(0, 2, 2, 2));
  EXPECT_EQ(lagged.samples.features, (Matrix{{20, 30}, {10, 20}}));
  EXPECT_EQ(lagged.samples.labels, (Vector{{30, 40}}));
  EXPECT_EQ(lagged.gaps, 0);
  EXPECT_EQ(lagged_samples(series(), 1)->gaps, 1);
}

TEST(TimeSeries, GoOnFromTheirLastValues) {
  Dataset one = series();
  one.node_names = {"a"};
  one.first_sample = {0, 4};
  const auto ends = *series_ends(one, 3);
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0].lags, (Vector{{40, 30, 20}}));
  EXPECT_EQ(ends[0].time, 6);
  EXPECT_EQ(ends[0].step, 2);
  EXPECT_THAT(series_ends(series(), 2).error().messages, ElementsAre("node 'b' does not end with 2 values in a row"));
}

}  // namespace
}  // namespace gtvmin
