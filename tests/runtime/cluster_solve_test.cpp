#include "gtvmin/runtime/cluster_solve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

namespace gtvmin {
namespace {

/// A ring of nodes with 0, 1, 10 and 100 samples of four features each, in turn.
Dataset ring(NodeId nodes) {
  Dataset dataset;
  dataset.first_sample = {0};
  for (NodeId i = 0; i < nodes; ++i) {
    constexpr std::array<Index, 4> kSamples = {0, 1, 10, 100};
    dataset.node_names.push_back(std::to_string(i));
    dataset.first_sample.push_back(dataset.first_sample.back() + kSamples[i % 4]);
    dataset.edges.push_back({std::min(i, (i + 1) % nodes), std::max(i, (i + 1) % nodes), 1.0});
  }
  dataset.feature_names = {"a", "b", "c", "d"};
  dataset.class_names = {"no", "yes"};
  return dataset;
}

std::vector<Index> work_of(const ModelSpec& spec) {
  const Dataset dataset = ring(4);
  return node_work(dataset, *EmpiricalGraph::make(4, dataset.edges), **make_model(spec, shape_of(dataset)));
}

TEST(NodeWork, OfANodeWithoutSamplesIsThatOfItsEdges) {
  for (const std::string& model : model_names()) {
    EXPECT_EQ(work_of({.name = model})[0], work_of({.name = "point"})[0]) << model;
  }
}

TEST(NodeWork, GrowsWithSamplesUpToTheRankOfAQuadraticLoss) {
  const std::vector<Index> work = work_of({.name = "linear"});
  EXPECT_EQ(work[1] - work[0], 1);
  EXPECT_EQ(work[2] - work[0], 4);
  EXPECT_EQ(work[3], work[2]);
}

TEST(NodeWork, GrowsInProportionToSamplesWhereEveryUpdateGoesOverThem) {
  for (const ModelSpec& spec :
       {ModelSpec{.name = "logistic"}, ModelSpec{.name = "poisson"}, ModelSpec{.name = "softmax"},
        ModelSpec{.name = "linear", .residual_loss = ResidualLoss::kHuber},
        ModelSpec{.name = "linear", .residual_loss = ResidualLoss::kAbsolute}}) {
    const std::vector<Index> work = work_of(spec);
    EXPECT_NEAR(static_cast<double>(work[3] - work[0]) / static_cast<double>(work[2] - work[0]), 10, 1) << spec.name;
  }
}

TEST(NodeWork, DoesNotGrowWithSamplesThatCountByTheirMeanOrCovariance) {
  for (const char* model : {"point", "gaussian-mean", "graphical"}) {
    const std::vector<Index> work = work_of({.name = model});
    EXPECT_GT(work[1], work[0]) << model;
    EXPECT_EQ(work[3], work[1]) << model;
  }
}

}  // namespace
}  // namespace gtvmin
