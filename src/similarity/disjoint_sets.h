#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "gtvmin/base/types.h"

namespace gtvmin {

/// Nodes that belong together, joined pair by pair. A set is called by its smallest node.
class DisjointSets {
 public:
  explicit DisjointSets(NodeId nodes) : parent_(nodes), sets_(nodes) {
    std::iota(parent_.begin(), parent_.end(), NodeId{0});
  }

  NodeId find(NodeId i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  /// False if they were together already.
  bool join(NodeId i, NodeId j) {
    i = find(i);
    j = find(j);
    if (i == j) return false;
    parent_[std::max(i, j)] = std::min(i, j);
    --sets_;
    return true;
  }
  [[nodiscard]] NodeId sets() const { return sets_; }

 private:
  std::vector<NodeId> parent_;
  NodeId sets_;
};

}  // namespace gtvmin
