#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gtvmin/base/result.h"
#include "gtvmin/evaluate/match_nodes.h"
#include "gtvmin/problem/dataset.h"
#include "gtvmin/problem/standardize.h"

namespace gtvmin {

/// What samples that were held out have to share with a training before label_error can compare.
struct Training {
  NamedNodes nodes;
  const std::vector<std::string>& classes;
  const std::optional<Standardization>& standardization;
};

/// Brings held-out samples to the classes and units of a training; the position of each of their nodes there. Fails,
/// with `where` in front, on nodes and classes that the training did not know.
[[nodiscard]] Result<std::vector<NodeId>> match_held_out(const std::string& where, const Training& training,
                                                         Dataset& held_out);

}  // namespace gtvmin
