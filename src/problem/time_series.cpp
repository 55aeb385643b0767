#include "gtvmin/problem/time_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace gtvmin {
namespace {

/// The rows of every node by time.
std::vector<Index> rows_by_time(const Dataset& series) {
  std::vector<Index> rows(static_cast<std::size_t>(series.samples()));
  std::iota(rows.begin(), rows.end(), Index{0});
  for (NodeId i = 0; i < series.nodes(); ++i) {
    std::stable_sort(rows.begin() + series.first_sample[i], rows.begin() + series.first_sample[i + 1],
                     [&](Index a, Index b) { return series.features(0, a) < series.features(0, b); });
  }
  return rows;
}

/// The smallest difference between two times that follow each other.
Result<double> smallest_step(const Dataset& series, const std::vector<Index>& rows) {
  double smallest = std::numeric_limits<double>::infinity();
  Error error{Error::Kind::kBadInput, {}};
  for (NodeId i = 0; i < series.nodes(); ++i) {
    for (Index k = series.first_sample[i] + 1; k < series.first_sample[i + 1]; ++k) {
      const double step = series.features(0, rows[k]) - series.features(0, rows[k - 1]);
      if (step > 0) {
        smallest = std::min(smallest, step);
      } else {
        error.messages.push_back(
            fmt::format("node '{}': time {} stands twice", series.node_names[i], series.features(0, rows[k])));
      }
    }
  }
  constexpr std::size_t kListed = 20;
  if (error.messages.size() > kListed) error.messages.resize(kListed);
  if (!error.messages.empty()) return error;
  return smallest;
}

}  // namespace

Result<LaggedSeries> lagged_samples(const Dataset& series, int order) {
  const std::vector<Index> rows = rows_by_time(series);
  const Result<double> step = smallest_step(series, rows);
  if (!step) return step.error();

  LaggedSeries lagged;
  Dataset& samples = lagged.samples;
  samples.node_names = series.node_names;
  samples.edges = series.edges;
  for (int k = 1; k <= order; ++k) samples.feature_names.push_back(fmt::format("lag{}", k));
  samples.features.resize(order, series.samples());
  samples.labels.resize(series.samples());
  samples.first_sample = {0};
  Index sample = 0;
  for (NodeId i = 0; i < series.nodes(); ++i) {
    Index in_a_row = 0;  // values up to the present one without a gap
    for (Index k = series.first_sample[i]; k < series.first_sample[i + 1]; ++k) {
      const bool first = k == series.first_sample[i];
      const double since = first ? 0 : series.features(0, rows[k]) - series.features(0, rows[k - 1]);
      in_a_row = since > 1.5 * *step ? 1 : in_a_row + 1;
      if (in_a_row <= order) {
        lagged.gaps += k - series.first_sample[i] >= order ? 1 : 0;
        continue;
      }
      for (int lag = 1; lag <= order; ++lag) samples.features(lag - 1, sample) = series.labels[rows[k - lag]];
      samples.labels[sample++] = series.labels[rows[k]];
    }
    samples.first_sample.push_back(sample);
  }
  if (sample == 0) {
    return bad_input(fmt::format("no node has {} values in a row, which order {} needs", order + 1, order));
  }
  samples.features.conservativeResize(order, sample);
  samples.labels.conservativeResize(sample);
  return lagged;
}

Result<std::vector<SeriesEnd>> series_ends(const Dataset& series, int order) {
  const std::vector<Index> rows = rows_by_time(series);
  const Result<double> step = smallest_step(series, rows);
  if (!step) return step.error();
  std::vector<SeriesEnd> ends;
  Error error{Error::Kind::kBadInput, {}};
  for (NodeId i = 0; i < series.nodes(); ++i) {
    if (series.samples_of(i) == 0) continue;
    const Index last = series.first_sample[i + 1] - 1;
    const auto time = [&](Index k) { return series.features(0, rows[k]); };
    SeriesEnd end{i, time(last), *step, Vector(order)};
    bool good = series.samples_of(i) >= order;
    for (Index k = 0; k < order && good; ++k) {
      end.lags[k] = series.labels[rows[last - k]];
      good = k == 0 || time(last - k + 1) - time(last - k) <= 1.5 * *step;
    }
    if (good) {
      ends.push_back(std::move(end));
    } else {
      error.messages.push_back(
          fmt::format("node '{}' does not end with {} values in a row", series.node_names[i], order));
    }
  }
  if (!error.messages.empty()) return error;
  return ends;
}

}  // namespace gtvmin
