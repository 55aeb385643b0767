#include "gtvmin/similarity/edge_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace gtvmin {
namespace {

double median_of_positive(const std::vector<NodePair>& pairs) {
  std::vector<double> positive;
  for (const NodePair& pair : pairs) {
    if (pair.distance > 0) positive.push_back(pair.distance);
  }
  if (positive.empty()) return 1;
  const auto middle = positive.begin() + static_cast<std::ptrdiff_t>(positive.size() / 2);
  std::nth_element(positive.begin(), middle, positive.end());
  return *middle;
}

struct DistanceRange {
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
};

DistanceRange range_of(const std::vector<NodePair>& pairs) {
  DistanceRange range;
  for (const NodePair& pair : pairs) {
    range.low = std::min(range.low, pair.distance);
    range.high = std::max(range.high, pair.distance);
  }
  return range;
}

double weight(double distance, WeightRule::Kind kind, double scale, const DistanceRange& range) {
  switch (kind) {
    case WeightRule::Kind::kExp:
      return std::exp(-distance / scale);
    case WeightRule::Kind::kInverse:
      return 1 / (1 + distance / scale);
    case WeightRule::Kind::kBinary:
      return 1;
    case WeightRule::Kind::kRescaled:
      if (!(range.high > range.low)) return 1;
      return kLeastRescaled + (1 - kLeastRescaled) * ((range.high - distance) / (range.high - range.low));
  }
  return 1;
}

}  // namespace

Result<WeighedEdges> weigh_edges(const std::vector<NodePair>& pairs, const WeightRule& rule) {
  WeighedEdges weighed;
  if (rule.kind == WeightRule::Kind::kExp || rule.kind == WeightRule::Kind::kInverse) {
    weighed.scale = rule.median_scale ? median_of_positive(pairs) : rule.scale;
    if (!(std::isfinite(weighed.scale) && weighed.scale > 0)) {
      return usage_error(fmt::format("scale: {} is not a number > 0", weighed.scale));
    }
  }
  const DistanceRange range = range_of(pairs);
  weighed.edges.reserve(pairs.size());
  for (const NodePair& pair : pairs) {
    const double w = weight(pair.distance, rule.kind, weighed.scale, range);
    if (w >= std::numeric_limits<double>::min()) {
      weighed.edges.push_back({pair.a, pair.b, w});
    } else {
      weighed.vanished.push_back(pair);
    }
  }
  return weighed;
}

}  // namespace gtvmin
