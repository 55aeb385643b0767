#include "gtvmin/evaluate/label_error.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gtvmin {
namespace {

/// Nodes b (x = 1, 2) and a (x = 3), with one feature.
Dataset held_out(const Vector& labels) {
  Dataset data;
  data.node_names = {"b", "a"};
  data.feature_names = {"x"};
  data.first_sample = {0, 2, 3};
  data.features = Vector::LinSpaced(3, 1, 3).transpose();
  data.labels = labels;
  return data;
}

/// Slope and intercept of three nodes; b is the third, a the first.
Matrix parameters() {
  Matrix w(2, 3);
  w << 2, 100, -1, 1, 100, 0.5;
  return w;
}
const std::vector<NodeId> kColumns = {2, 0};

ModelPtr model(const char* name) {
  return *make_model({.name = name, .intercept = true}, {.features = {"x"}, .classes = {}});
}

TEST(LabelError, OfALinearModelIsTheMeanSquaredError) {
  // Predictions −1 + 0.5, −2 + 0.5, 6 + 1; errors 0.5, −0.5, 2.
  const auto error = label_error(*model("linear"), parameters(), held_out(Eigen::Vector3d(-1, -1, 5)), kColumns);
  EXPECT_EQ(error.samples, 3);
  EXPECT_DOUBLE_EQ(*error.squared, (0.25 + 0.25 + 4) / 3);
  EXPECT_FALSE(error.misclassification || error.log_loss);
}

TEST(LabelError, OfALogisticModelCountsWrongLabelsAndTheirSurprise) {
  // Scores −0.5, −1.5, 7 with labels −, +, +: the second is wrong.
  for (const double negative : {0.0, -1.0}) {
    const auto error =
        label_error(*model("logistic"), parameters(), held_out(Eigen::Vector3d(negative, 1, 1)), kColumns);
    EXPECT_DOUBLE_EQ(*error.misclassification, 1.0 / 3);
    EXPECT_NEAR(*error.log_loss,
                (std::log(1 + std::exp(-0.5)) + std::log(1 + std::exp(1.5)) + std::log(1 + std::exp(-7))) / 3, 1e-14);
    EXPECT_FALSE(error.squared);
  }
}

TEST(LabelError, StaysFiniteForAHopelessPrediction) {
  const Matrix w = parameters() * 1e4;
  const auto error = label_error(*model("logistic"), w, held_out(Eigen::Vector3d(0, 0, 0)), kColumns);
  EXPECT_DOUBLE_EQ(*error.log_loss, 7e4 / 3);
}

}  // namespace
}  // namespace gtvmin
