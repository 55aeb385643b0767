#include "gtvmin/solver/forecast.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace gtvmin {
namespace {

TEST(Forecast, ContinuesALinearFallHoweverChecksAreSpaced) {
  Forecast forecast;
  for (const int k : {5, 10, 20, 40, 80, 120}) forecast.add(k, std::exp(-0.05 * k));
  EXPECT_NEAR(forecast.iterations_to(std::exp(-0.05 * 200)), 80, 1e-9);
  EXPECT_EQ(forecast.iterations_to(1), 0);
}

TEST(Forecast, PromisesNothingForWhatDoesNotFallOrIsNotKnown) {
  Forecast forecast;
  EXPECT_TRUE(std::isinf(forecast.iterations_to(1e-6)));
  for (const int k : {20, 40, 60, 80}) forecast.add(k, 1 - 1e-3 * k);
  EXPECT_TRUE(std::isinf(forecast.iterations_to(1e-6)));
}

TEST(Forecast, IsNotMisledByWhatWasInfiniteAtFirst) {
  Forecast forecast;
  for (const int k : {20, 40, 60}) forecast.add(k, std::numeric_limits<double>::infinity());
  forecast.add(80, 1e-2);
  EXPECT_TRUE(std::isinf(forecast.iterations_to(1e-6))) << "one value is too little to know";
  forecast.add(100, 1e-3);
  forecast.add(120, 1e-4);
  EXPECT_NEAR(forecast.iterations_to(1e-6), 40, 1e-9);
}

TEST(Forecast, ForgetsWhatCameBeforeARestart) {
  Forecast forecast;
  for (const int k : {20, 40, 60}) forecast.add(k, std::exp(-k));
  forecast.restart();
  forecast.add(80, 1);
  forecast.add(100, 0.1);
  EXPECT_TRUE(std::isinf(forecast.iterations_to(1e-6)));
  forecast.add(120, 0.01);
  EXPECT_NEAR(forecast.iterations_to(1e-4), 40, 1e-9);
}

}  // namespace
}  // namespace gtvmin
