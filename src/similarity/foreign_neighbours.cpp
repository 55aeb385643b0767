#include "foreign_neighbours.h"

#include <algorithm>
#include <numeric>

#include "gtvmin/base/squared_distance.h"

namespace gtvmin {
namespace {

constexpr Index kLeafSize = 8;
constexpr NodeId kMixed = -1;
// The distance from a box is summed in another order than that from a point and may come out larger by rounding.
constexpr double kRounding = 1 - 1e-12;

}  // namespace

ForeignNeighbours::ForeignNeighbours(const Matrix& points) : points_(points), order_(points.cols()) {
  std::iota(order_.begin(), order_.end(), NodeId{0});
  if (!order_.empty()) build(0, points.cols());
}

Index ForeignNeighbours::build(Index begin, Index end) {
  const Index d = points_.rows();
  Vector low = points_.col(order_[begin]);
  Vector high = low;
  for (Index k = begin + 1; k < end; ++k) {
    low = low.cwiseMin(points_.col(order_[k]));
    high = high.cwiseMax(points_.col(order_[k]));
  }
  const auto branch = static_cast<Index>(branches_.size());
  branches_.push_back({begin, end});
  boxes_.insert(boxes_.end(), low.data(), low.data() + d);
  boxes_.insert(boxes_.end(), high.data(), high.data() + d);
  if (end - begin <= kLeafSize) return branch;

  Index axis = 0;
  (high - low).maxCoeff(&axis);
  const Index middle = (begin + end) / 2;
  std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end, [&](NodeId x, NodeId y) {
    return std::make_pair(points_(axis, x), x) < std::make_pair(points_(axis, y), y);
  });
  build(begin, middle);
  branches_[branch].second = build(middle, end);
  return branch;
}

void ForeignNeighbours::set_components(std::vector<NodeId> component_of) {
  component_of_ = std::move(component_of);
  // Children stand behind their parents.
  for (auto branch = static_cast<Index>(branches_.size()) - 1; branch >= 0; --branch) {
    Branch& here = branches_[branch];
    if (here.second >= 0) {
      const NodeId first = branches_[branch + 1].component;
      here.component = first == branches_[here.second].component ? first : kMixed;
      continue;
    }
    here.component = component_of_[order_[here.begin]];
    for (Index k = here.begin + 1; k < here.end; ++k) {
      if (component_of_[order_[k]] != here.component) here.component = kMixed;
    }
  }
}

double ForeignNeighbours::box_distance(Index branch, const double* point) const {
  const Index d = points_.rows();
  const double* low = boxes_.data() + 2 * d * branch;
  const double* high = low + d;
  double sum = 0;
  for (Index k = 0; k < d; ++k) {
    const double outside = std::max({low[k] - point[k], point[k] - high[k], 0.0});
    sum += outside * outside;
  }
  return sum * kRounding;
}

void ForeignNeighbours::improve(NodeId i, Bridge& best) const { search(0, i, best); }

void ForeignNeighbours::search(Index branch, NodeId i, Bridge& best) const {
  const Branch& here = branches_[branch];
  const double* point = points_.col(i).data();
  if (here.component == component_of_[i]) return;
  if (here.second < 0) {
    for (Index k = here.begin; k < here.end; ++k) {
      const NodeId j = order_[k];
      if (component_of_[j] == component_of_[i]) continue;
      const double distance = squared_distance(point, points_.col(j).data(), points_.rows());
      best = std::min(best, Bridge{distance, std::min(i, j), std::max(i, j)});
    }
    return;
  }
  Index near = branch + 1;
  Index far = here.second;
  double near_distance = box_distance(near, point);
  double far_distance = box_distance(far, point);
  if (far_distance < near_distance) {
    std::swap(near, far);
    std::swap(near_distance, far_distance);
  }
  if (near_distance <= best.squared_distance) search(near, i, best);
  if (far_distance <= best.squared_distance) search(far, i, best);
}

}  // namespace gtvmin
