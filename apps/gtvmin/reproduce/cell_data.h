#pragma once

#include "cell.h"
#include "gtvmin/problem/dataset.h"

namespace gtvmin::app {

/// What a cell trains on and is measured against.
struct CellData {
  Dataset dataset;
  /// The samples of all nodes, those that `dataset` lacks included.
  Dataset everything;
  /// dimension × nodes; empty where nobody knows it.
  Matrix truth;
  Partition clusters;
};

[[nodiscard]] Result<CellData> make_cell_data(const CellDataSettings& settings);

/// The samples of the nodes that have none in `dataset`, and the node of `everything` that each of them is.
struct UnseenSamples {
  Dataset samples;
  std::vector<NodeId> nodes;
};
[[nodiscard]] UnseenSamples unseen_samples(const CellData& data);

}  // namespace gtvmin::app
