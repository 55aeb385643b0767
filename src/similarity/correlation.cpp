#include "gtvmin/similarity/correlation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "error_list.h"

namespace gtvmin {
namespace {

/// Times ascending, with their values.
struct Series {
  std::vector<double> times;
  std::vector<double> values;
};

Series read_series(const Dataset& dataset, NodeId i, ErrorList& errors) {
  std::vector<std::pair<double, double>> samples;
  for (Index r = dataset.first_sample[i]; r < dataset.first_sample[i + 1]; ++r) {
    samples.emplace_back(dataset.features(0, r), dataset.features(1, r));
  }
  std::sort(samples.begin(), samples.end());
  Series series;
  for (const auto& [time, value] : samples) {
    if (!series.times.empty() && series.times.back() == time) {
      errors.add(fmt::format("node '{}' has two values at time {}", dataset.node_names[i], time));
    }
    series.times.push_back(time);
    series.values.push_back(value);
  }
  return series;
}

/// The values of both at their common times, written to x and y.
void common_values(const Series& a, const Series& b, std::vector<double>& x, std::vector<double>& y) {
  x.clear();
  y.clear();
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.times.size() && j < b.times.size()) {
    if (a.times[i] == b.times[j]) {
      x.push_back(a.values[i++]);
      y.push_back(b.values[j++]);
    } else if (a.times[i] < b.times[j]) {
      ++i;
    } else {
      ++j;
    }
  }
}

double correlation(const std::vector<double>& x, const std::vector<double>& y) {
  const auto count = static_cast<Index>(x.size());
  const auto centred = [count](const std::vector<double>& values) -> Vector {
    const Eigen::Map<const Vector> all(values.data(), count);
    // Rounding of the mean must not make a constant series vary.
    if (all.minCoeff() == all.maxCoeff()) return Vector::Zero(count);
    return all.array() - all.mean();
  };
  const Vector dx = centred(x);
  const Vector dy = centred(y);
  const double lengths = dx.norm() * dy.norm();
  return lengths > 0 ? std::clamp(dx.dot(dy) / lengths, -1.0, 1.0) : 0;
}

}  // namespace

Result<NodeDistances> correlation_distances(const Dataset& dataset, bool absolute, Index overlap,
                                            const SimilarityContext& context) {
  assert(dataset.features.rows() == 2);
  ErrorList errors;
  std::vector<Series> series;
  series.reserve(dataset.nodes());
  for (NodeId i = 0; i < dataset.nodes(); ++i) series.push_back(read_series(dataset, i, errors));
  if (!errors.empty()) return errors.take();

  struct Scratch {
    std::vector<double> x, y;
  };
  std::vector<Scratch> scratch(context.team.size());
  Result<Matrix> matrix = all_pairs(context, dataset.nodes(), [&](int worker, NodeId i, NodeId j) {
    auto& [x, y] = scratch[worker];
    common_values(series[i], series[j], x, y);
    if (static_cast<Index>(x.size()) < overlap) return std::numeric_limits<double>::infinity();
    const double r = correlation(x, y);
    return 1 - (absolute ? std::abs(r) : r);
  });
  if (!matrix) return matrix.error();
  return NodeDistances::from_matrix(*std::move(matrix));
}

}  // namespace gtvmin
