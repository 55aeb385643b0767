#include <Eigen/QR>
#include <algorithm>

#include "gtvmin/base/rng.h"
#include "gtvmin/demo/sacramento.h"
#include "gtvmin/evaluate/label_error.h"
#include "gtvmin/evaluate/match_nodes.h"

namespace gtvmin {
namespace {

constexpr std::uint64_t kFoldStream = 2;

std::vector<NodeId> nodes_with_samples(const Dataset& dataset) {
  std::vector<NodeId> nodes;
  for (NodeId i = 0; i < dataset.nodes(); ++i) {
    if (dataset.samples_of(i) > 0) {
      nodes.push_back(i);
    }
  }
  return nodes;
}

double mean_square(const Vector& errors) { return errors.squaredNorm() / static_cast<double>(errors.size()); }

double pooled_linear_error(const Dataset& known, const Dataset& withheld) {
  const auto with_intercept = [](const Dataset& dataset) {
    Matrix rows(dataset.samples(), dataset.features.rows() + 1);
    rows << dataset.features.transpose(), Vector::Ones(dataset.samples());
    return rows;
  };
  const Vector w = with_intercept(known).colPivHouseholderQr().solve(known.labels);
  return mean_square(with_intercept(withheld) * w - withheld.labels);
}

double nearest_sales_error(const HousingProblem& problem, std::size_t neighbours) {
  std::vector<NodeId> sold = nodes_with_samples(problem.known);
  neighbours = std::min(neighbours, sold.size());
  Vector errors(problem.withheld.samples());
  for (const NodeId i : nodes_with_samples(problem.withheld)) {
    const auto distance = [&](NodeId j) { return (problem.places.col(j) - problem.places.col(i)).squaredNorm(); };
    std::partial_sort(sold.begin(), sold.begin() + static_cast<std::ptrdiff_t>(neighbours), sold.end(),
                      [&](NodeId a, NodeId b) {
                        const double to_a = distance(a);
                        const double to_b = distance(b);
                        return to_a != to_b ? to_a < to_b : a < b;
                      });
    double sum = 0;
    for (std::size_t k = 0; k < neighbours; ++k) {
      sum += problem.known.labels(problem.known.first_sample[sold[k]]);
    }
    const Index sample = problem.withheld.first_sample[i];
    errors(sample) = sum / static_cast<double>(neighbours) - problem.withheld.labels(sample);
  }
  return mean_square(errors);
}

// The dataset with the samples of the nodes with keep[i] == wanted only.
Dataset with_samples_of(const Dataset& dataset, const std::vector<char>& keep, char wanted) {
  Dataset part = dataset;
  Index at = 0;
  for (NodeId i = 0; i < dataset.nodes(); ++i) {
    part.first_sample[i] = at;
    if (keep[i] == wanted) {
      for (Index s = dataset.first_sample[i]; s < dataset.first_sample[i + 1]; ++s, ++at) {
        part.features.col(at) = dataset.features.col(s);
        part.labels(at) = dataset.labels(s);
      }
    }
  }
  part.first_sample.back() = at;
  part.features.conservativeResize(Eigen::NoChange, at);
  part.labels.conservativeResize(at);
  return part;
}

}  // namespace

HousingBaselines housing_baselines(const HousingProblem& problem, std::int64_t neighbours) {
  // The known prices have mean 0, so that is what the first baseline predicts.
  return {.mean_price = mean_square(problem.withheld.labels),
          .pooled_linear = pooled_linear_error(problem.known, problem.withheld),
          .nearest_sales = nearest_sales_error(problem, static_cast<std::size_t>(neighbours))};
}

double housing_error(const LocalModel& model, ConstMatrixRef w, const std::vector<std::string>& names,
                     const Dataset& withheld) {
  const Result<std::vector<NodeId>> column_of = find_nodes({"withheld", withheld.node_names}, {"w", names});
  return label_error(model, w, withheld, *column_of).squared.value_or(0);
}

Result<std::vector<HousingCandidate>> cross_validate_housing(const Dataset& known,
                                                             std::vector<HousingCandidate> candidates,
                                                             const LocalModel& model, int folds, std::uint64_t seed,
                                                             const HousingTrainer& train) {
  std::vector<NodeId> order = nodes_with_samples(known);
  Rng rng(seed, kFoldStream);
  shuffle(order, rng);
  for (int fold = 0; fold < folds; ++fold) {
    std::vector<char> hidden(known.node_names.size(), 0);
    for (std::size_t k = static_cast<std::size_t>(fold); k < order.size(); k += static_cast<std::size_t>(folds)) {
      hidden[order[k]] = 1;
    }
    const Dataset training = with_samples_of(known, hidden, 0);
    const Dataset validation = with_samples_of(known, hidden, 1);
    for (HousingCandidate& candidate : candidates) {
      const Result<Matrix> w = train(training, candidate.ridge, candidate.lambda);
      if (!w) {
        return w.error();
      }
      candidate.error += housing_error(model, *w, known.node_names, validation) *
                         static_cast<double>(validation.samples()) / static_cast<double>(known.samples());
    }
  }
  return candidates;
}

}  // namespace gtvmin
