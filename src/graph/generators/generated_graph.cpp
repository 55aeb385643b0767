#include "gtvmin/graph/generators/generated_graph.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <unordered_map>

namespace gtvmin {

Partition partition_by_label(std::span<const NodeId> labels) {
  Partition partition;
  partition.group_of.reserve(labels.size());
  std::unordered_map<NodeId, NodeId> group_of_label;
  for (const NodeId label : labels) {
    const auto [entry, fresh] = group_of_label.try_emplace(label, partition.groups);
    if (fresh) ++partition.groups;
    partition.group_of.push_back(entry->second);
  }
  return partition;
}

Result<Partition> consecutive_clusters(std::span<const NodeId> sizes) {
  if (sizes.empty()) return usage_error("sizes: at least one cluster is needed");
  std::int64_t nodes = 0;
  for (const NodeId size : sizes) {
    if (size < 1) return usage_error(fmt::format("sizes: a cluster of {} nodes", size));
    nodes += size;
  }
  if (nodes > std::numeric_limits<NodeId>::max())
    return usage_error(fmt::format("sizes: {} nodes are too many", nodes));
  Partition partition;
  partition.group_of.reserve(static_cast<std::size_t>(nodes));
  for (const NodeId size : sizes) partition.group_of.insert(partition.group_of.end(), size, partition.groups++);
  return partition;
}

}  // namespace gtvmin
