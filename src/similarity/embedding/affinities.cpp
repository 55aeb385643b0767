#include "affinities.h"

#include <algorithm>
#include <cmath>

namespace gtvmin {
namespace {

struct Entry {
  NodeId column;
  double value;
};

/// Entries (i, j) and (j, i) for every neighbour j of i, those of one row together.
std::vector<std::vector<Entry>> both_directions(const std::vector<Neighbour>& lists, const std::vector<double>& weights,
                                                Index points, Index k) {
  std::vector<std::vector<Entry>> rows(points);
  const double half = 0.5 / static_cast<double>(points);
  for (Index i = 0; i < points; ++i) {
    for (Index at = i * k; at < (i + 1) * k; ++at) {
      rows[i].push_back({lists[at].point, half * weights[at]});
      rows[lists[at].point].push_back({static_cast<NodeId>(i), half * weights[at]});
    }
  }
  return rows;
}

Affinities merge(std::vector<std::vector<Entry>> rows) {
  Affinities affinities;
  affinities.first.push_back(0);
  for (std::vector<Entry>& row : rows) {
    // A column stands there at most twice, and the sum of two numbers does not depend on their order.
    std::sort(row.begin(), row.end(), [](const Entry& x, const Entry& y) { return x.column < y.column; });
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (k > 0 && row[k].column == row[k - 1].column) {
        affinities.value.back() += row[k].value;
        continue;
      }
      affinities.column.push_back(row[k].column);
      affinities.value.push_back(row[k].value);
    }
    affinities.first.push_back(static_cast<Index>(affinities.column.size()));
    row = {};
  }
  return affinities;
}

}  // namespace

void conditional_affinities(const Neighbour* neighbours, Index count, double perplexity, double* weights) {
  const double target = std::log(perplexity);
  const double nearest = neighbours[0].squared_distance;
  // Only differences to the nearest matter, and with them exp cannot underflow for all neighbours at once.
  const double spread = neighbours[count - 1].squared_distance - nearest;
  double beta = spread > 0 ? 1 / spread : 0;
  double low = 0;
  double high = std::numeric_limits<double>::infinity();
  constexpr int kMostSteps = 200;
  for (int step = 0; step < kMostSteps; ++step) {
    double sum = 0;
    double mean = 0;
    for (Index k = 0; k < count; ++k) {
      const double difference = neighbours[k].squared_distance - nearest;
      weights[k] = std::exp(-beta * difference);
      sum += weights[k];
      mean += weights[k] * difference;
    }
    const double entropy = std::log(sum) + beta * mean / sum;
    for (Index k = 0; k < count; ++k) weights[k] /= sum;
    if (spread == 0 || std::abs(entropy - target) <= 1e-6) return;
    (entropy > target ? low : high) = beta;
    const double next = std::isinf(high) ? 2 * beta : (low + high) / 2;
    if (!std::isfinite(next) || next == beta) return;
    beta = next;
  }
}

Result<Affinities> neighbour_affinities(ConstMatrixRef points, double perplexity, const SimilarityContext& context) {
  const Index n = points.cols();
  const Index k = std::min(n - 1, static_cast<Index>(3 * perplexity) + 1);
  const NeighbourSearch search(points);
  std::vector<Neighbour> lists(n * k);
  std::vector<double> weights(n * k);
  constexpr Index kChunk = 64;
  const auto find = [&](int /*worker*/, Index chunk) {
    const Index begin = chunk * kChunk;
    const Index end = std::min(begin + kChunk, n);
    search.nearest_others(begin, end, k, std::span(lists).subspan(begin * k, (end - begin) * k));
    for (Index i = begin; i < end; ++i) conditional_affinities(&lists[i * k], k, perplexity, &weights[i * k]);
  };
  if (const Status done = for_each_item(context, "neighbours of samples", (n + kChunk - 1) / kChunk, 1, find); !done) {
    return done.error();
  }
  return merge(both_directions(lists, weights, n, k));
}

}  // namespace gtvmin
