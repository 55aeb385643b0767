#include "gtvmin/evaluate/data_units.h"

#include <gtest/gtest.h>

namespace gtvmin {
namespace {

Dataset two_samples() {
  Dataset data;
  data.node_names = {"a"};
  data.feature_names = {"x", "z"};
  data.first_sample = {0, 2};
  data.features.resize(2, 2);
  data.features << 5, 1, -2, 4;
  return data;
}

const Standardization kMap{Eigen::Vector2d(3, -1), Eigen::Vector2d(2, 0.5), {}};

TEST(DataUnits, PredictionsAreTheSameInBothUnits) {
  const ModelSpec spec{.name = "linear", .intercept = true};
  const Matrix learnt = Eigen::Vector3d(0.7, -1.1, 0.3);
  const Dataset raw = two_samples();
  Dataset standardized = raw;
  apply_standardization(kMap, standardized);
  EXPECT_EQ(standardized.features.col(0), Vector(Eigen::Vector2d((5 - 3) / 2.0, (-2 + 1) / 0.5)));
  const Matrix converted = *in_data_units(spec, kMap, learnt);
  const ModelPtr model = *make_model(spec, shape_of(raw));
  EXPECT_TRUE(model->predict(converted.col(0), raw.features)
                  .isApprox(model->predict(learnt.col(0), standardized.features), 1e-14));
}

TEST(DataUnits, PointsMoveWithTheData) {
  Dataset data = two_samples();
  const Matrix raw = data.features;
  apply_standardization(kMap, data);
  EXPECT_TRUE(in_data_units({.name = "point"}, kMap, data.features)->isApprox(raw, 1e-15));
}

}  // namespace
}  // namespace gtvmin
