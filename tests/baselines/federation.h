#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gtvmin/baselines/baseline.h"
#include "gtvmin/graph/generators/sbm.h"
#include "gtvmin/synthetic/synthetic_data.h"

namespace gtvmin {

/// A dataset with its model, problem and clusters: all that a baseline is given.
class Federation {
 public:
  Federation(Dataset dataset, const ModelSpec& spec, Partition clusters = {})
      : dataset_(std::move(dataset)),
        clusters_(std::move(clusters)),
        model_(std::move(*make_model(spec, shape_of(dataset_)))),
        problem_(*make_problem(dataset_, *model_, spec.couple, L2Penalty{}, 0.1)) {}

  [[nodiscard]] BaselineInput input() const {
    return {.problem = problem_,
            .dataset = &dataset_,
            .model = model_.get(),
            .clusters = clusters_.groups > 0 ? &clusters_ : nullptr};
  }
  [[nodiscard]] const Problem& problem() const { return problem_; }
  [[nodiscard]] const Dataset& dataset() const { return dataset_; }

  [[nodiscard]] BaselineResult run(const std::string& method, const BaselineOptions& options) const {
    return *run_baseline(*find_baseline(method), input(), options);
  }
  /// The words of the error; empty: there is none.
  [[nodiscard]] std::string refusal(const std::string& method, const BaselineOptions& options) const {
    const auto result = run_baseline(*find_baseline(method), input(), options);
    return result ? std::string() : result.error().messages.front();
  }

 private:
  Dataset dataset_;
  Partition clusters_;
  ModelPtr model_;
  Problem problem_;
};

/// One sample of the 1-D linear model: the loss (xw − y)².
struct Sample {
  double x;
  double y;
};

/// Nodes with the given samples, on a path unless edges are given.
inline Dataset one_dimensional(const std::vector<std::vector<Sample>>& nodes, std::vector<WeightedEdge> edges = {}) {
  Dataset dataset;
  dataset.feature_names = {"x"};
  dataset.first_sample = {0};
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    dataset.node_names.push_back(std::to_string(i));
    samples.insert(samples.end(), nodes[i].begin(), nodes[i].end());
    dataset.first_sample.push_back(static_cast<Index>(samples.size()));
    if (edges.empty() && i > 0) dataset.edges.push_back({static_cast<NodeId>(i - 1), static_cast<NodeId>(i), 1});
  }
  if (!edges.empty()) dataset.edges = std::move(edges);
  dataset.features.resize(1, static_cast<Index>(samples.size()));
  dataset.labels.resize(static_cast<Index>(samples.size()));
  for (std::size_t r = 0; r < samples.size(); ++r) {
    dataset.features(0, static_cast<Index>(r)) = samples[r].x;
    dataset.labels[static_cast<Index>(r)] = samples[r].y;
  }
  return dataset;
}

/// Two clusters of linear data as in the paper's experiments, smaller; `accessible` of the nodes have samples.
inline SyntheticData two_clusters(double accessible, std::int64_t min_samples, std::int64_t max_samples) {
  const auto graph = sbm_graph({.sizes = {20, 20}, .p_in = 0.5, .p_out = 0.02}, 3);
  SyntheticParameters parameters;
  parameters.dimension = 20;
  parameters.min_samples = min_samples;
  parameters.max_samples = max_samples;
  parameters.noise = 1e-3;
  parameters.accessible = accessible;
  parameters.truth = TruthKind::kBernoulli;
  return *make_synthetic_data(*graph, parameters, 7);
}

}  // namespace gtvmin
