#pragma once

// Datasets with a model, as rivals are given them.

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "gtvmin/baselines/baseline.h"
#include "testing/random_problems.h"

namespace gtvmin {

/// Labels as the model wants them.
inline double random_label(Rng& rng, const std::string& model, double score) {
  if (model == "logistic") return score + rng.normal() > 0 ? 1 : -1;
  if (model == "softmax") return static_cast<double>(rng.below(3));
  if (model == "poisson") return static_cast<double>(rng.below(6));
  return score + 0.3 * rng.normal();
}

/// Two clusters of nodes with opposite truths, joined by a random graph; node 1 has no samples.
inline Dataset random_dataset(std::uint64_t seed, const std::string& model, NodeId nodes, Index features,
                              Index samples) {
  Rng rng(seed);
  Dataset dataset;
  dataset.first_sample.push_back(0);
  for (Index j = 0; j < features; ++j) dataset.feature_names.push_back(fmt::format("x{}", j));
  if (model == "softmax") dataset.class_names = {"a", "b", "c"};
  for (NodeId i = 0; i < nodes; ++i) {
    dataset.node_names.push_back(fmt::format("node{}", i));
    const Index here = i == 1 ? 0 : samples + static_cast<Index>(rng.below(3));
    dataset.first_sample.push_back(dataset.first_sample.back() + here);
  }
  const Matrix truth = random_matrix(rng, 1, features);
  dataset.features = random_matrix(rng, features, dataset.samples());
  const Matrix scores = truth * dataset.features;
  dataset.labels.resize(dataset.samples());
  for (NodeId i = 0; i < nodes; ++i) {
    const double sign = i < nodes / 2 ? 1 : -1;
    for (Index r = dataset.first_sample[i]; r < dataset.first_sample[i + 1]; ++r) {
      dataset.labels[r] = random_label(rng, model, sign * scores(0, r));
    }
  }
  const EmpiricalGraph graph = random_graph(rng, nodes, nodes, 0.5);
  for (EdgeId e = 0; e < graph.edges(); ++e) {
    dataset.edges.push_back({graph.head(e), graph.tail(e), graph.weight(e)});
  }
  return dataset;
}

/// All that a rival is given, held together.
class Given {
 public:
  Given(Dataset dataset, const ModelSpec& spec, const std::string& penalty, double lambda)
      : dataset_(std::move(dataset)),
        model_(*make_model(spec, shape_of(dataset_))),
        problem_(*make_problem(dataset_, *model_, spec.couple,
                               test_penalty(penalty, static_cast<Index>(model_->parameter_names().size())), lambda)) {}

  [[nodiscard]] const Dataset& dataset() const { return dataset_; }
  [[nodiscard]] const LocalModel& model() const { return *model_; }
  [[nodiscard]] const Problem& problem() const { return problem_; }
  [[nodiscard]] BaselineInput input() const {
    return {.problem = problem_, .dataset = &dataset_, .model = model_.get(), .clusters = nullptr};
  }

 private:
  Dataset dataset_;
  ModelPtr model_;
  Problem problem_;
};

inline BaselineResult run(const std::string& name, const BaselineInput& input, const BaselineOptions& options = {}) {
  return *run_baseline(*find_baseline(name), input, options);
}

}  // namespace gtvmin
