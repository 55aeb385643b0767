#pragma once

#include <limits>
#include <tuple>
#include <vector>

#include "gtvmin/base/types.h"

namespace gtvmin {

/// A pair of points; the shorter one comes first, then the one with the smaller numbers. a < b.
struct Bridge {
  double squared_distance = std::numeric_limits<double>::infinity();
  NodeId a = std::numeric_limits<NodeId>::max();
  NodeId b = std::numeric_limits<NodeId>::max();

  friend bool operator<(const Bridge& x, const Bridge& y) {
    return std::tie(x.squared_distance, x.a, x.b) < std::tie(y.squared_distance, y.a, y.b);
  }
};

/// A kd-tree that knows to which component its points belong, and so passes by whole branches of one's own component:
/// the nearest point of another component is found without looking at one's own.
class ForeignNeighbours {
 public:
  /// `points` (columns) must outlive this object.
  explicit ForeignNeighbours(const Matrix& points);

  /// Tells the component of every point.
  void set_components(std::vector<NodeId> component_of);

  /// Replaces `best` by the shortest bridge from point i to another component if that one comes first.
  void improve(NodeId i, Bridge& best) const;

 private:
  struct Branch {
    Index begin, end;      // its points are order_[begin] … order_[end − 1]
    Index second = -1;     // the second child; the first one follows its parent; −1: a leaf
    NodeId component = 0;  // of all points, or kMixed
  };
  Index build(Index begin, Index end);
  [[nodiscard]] double box_distance(Index branch, const double* point) const;
  void search(Index branch, NodeId i, Bridge& best) const;

  const Matrix& points_;
  std::vector<NodeId> order_;
  std::vector<Branch> branches_;
  std::vector<double> boxes_;  // for each branch the low corner, then the high corner
  std::vector<NodeId> component_of_;
};

}  // namespace gtvmin
